import { tmpdir } from 'node:os';
import type { Asset, Message, Session, StampedDecision, Stimulus } from '@stoa/protocol';
import { callerOf, newPerson, until } from '@stoa/testkit';

export interface RichActivity {
  readonly messageIds: readonly string[];
  readonly assetId: string;
}

/** A little of everything people do, in `lobby` and a few more channels; each daemon takes it once. */
export async function richActivity(daemon: {
  readonly url: string;
  readonly token: string;
}): Promise<RichActivity> {
  const owner = callerOf(daemon.url, daemon.token);
  const ada = await newPerson(daemon, 'ada');
  const bea = await newPerson(daemon, 'bea');
  const lobby = '/v1/channels/lobby';
  await owner.post('/v1/channels', {
    channelId: 'lobby',
    title: 'Lobby',
    metadata: { a: [1, null] },
  });
  await owner.patch(lobby, {
    description: 'Everybody',
    purpose: 'Talk',
    metadata: { b: { c: true } },
  });
  await owner.patch(lobby, { description: null, title: 'The lobby' });
  await ada.post(`${lobby}/members`, {
    displayName: 'Countess',
    role: 'guest',
    metadata: { vip: true },
  });
  await bea.post(`${lobby}/members`, {});
  await ada.post(`${lobby}/members`, { role: 'host' });
  await bea.delete(`${lobby}/members/bea`);
  await owner.post(`${lobby}/members`, { actorId: 'human:bea', memberId: 'B.2' });

  const { assetId } = (await owner.post<Asset>('/v1/assets', undefined, { raw: 'a picture, say' }))
    .json;
  const root = await say({ text: 'a root' });
  const attached = await say({
    inputItems: [
      { type: 'text', text: 'with a file' },
      { type: 'asset_reference', assetId },
      { type: 'inline_asset', data: Buffer.from('and another').toString('base64'), name: 'b.txt' },
    ],
    addressedMemberIds: ['ada', 'B.2'],
  });
  const replies: string[] = [];
  for (let i = 0; i < 5; i++) {
    replies.push(
      await say({ text: `reply ${String(i)}`, replyToMessageId: replies.at(-1) ?? root }),
    );
  }
  for (const emoji of ['👍', '🎉', '👍']) {
    for (const person of [ada, bea])
      await person.post(`${lobby}/messages/${root}/reactions`, { emoji });
  }
  await bea.delete(`${lobby}/messages/${root}/reactions`, { emoji: '👍' });
  await owner.patch(`${lobby}/messages/${replies[0] ?? ''}`, { text: 'edited once' });
  await owner.patch(`${lobby}/messages/${replies[0] ?? ''}`, { text: 'edited twice' });
  await owner.patch(`${lobby}/messages/${attached}`, { text: 'the files are gone' });
  await owner.delete(`${lobby}/messages/${replies[4] ?? ''}`);
  await owner.put(`${lobby}/pins/${assetId}`);
  for (const person of [owner, ada]) await person.put(`${lobby}/cursor`, { readSeq: 9 });

  await owner.patch(lobby, {
    autonomyPolicy: { maxAgentRepliesPerHumanMessage: 2, memberCooldownMs: 0 },
    defaultParticipationMode: 'prefer_selected',
  });
  await owner.put('/v1/agents/helper', {
    driver: { kind: 'script', script: 'otherwise: [{ emit: Hello }]' },
  });
  const session = await owner.post<Session>('/v1/sessions', {
    agentId: 'helper',
    workspace: tmpdir(),
  });
  await owner.post(`${lobby}/members`, {
    actorId: `session:${session.json.sessionId}`,
    expertiseTags: ['roots'],
  });
  await owner.patch(lobby, { paused: true });
  const asked = await say({ text: 'and you, @helper?' });
  await owner.patch(lobby, { paused: false });
  await until('it has answered', async () => {
    const path = `${lobby}/threads/${asked}/decisions`;
    const { json } = await owner.get<{ decisions: StampedDecision[] }>(path);
    return json.decisions[0]?.turn.outcome;
  });

  for (const content of ['half done', 'nearly done']) {
    await posted({
      kind: 'task_completed',
      scope: 'thread',
      threadRootMessageId: asked,
      content,
      progressKey: 'work',
    });
  }
  await posted({ kind: 'agent_idea', content: 'an idea', dedupeKey: 'ideas' });
  await owner.patch(`${lobby}/thread-work/${asked}`, { review: { verdict: 'approved' } });
  await owner.post(`${lobby}/stimuli`, { kind: 'agent_idea', content: 'waits for its time' });

  await ada.post('/v1/channels', { title: 'Named by the daemon' });
  await owner.post('/v1/channels', { channelId: 'closed', title: 'Closed' });
  await owner.post('/v1/channels/closed/archive');
  await owner.post('/v1/channels', { channelId: 'reopened', title: 'Reopened' });
  await owner.post('/v1/channels/reopened/archive');
  await owner.post('/v1/channels/reopened/unarchive');
  await owner.post('/v1/channels', { channelId: 'gone', title: 'Gone' });
  await owner.post('/v1/channels/gone/messages', { text: 'soon erased' });
  await owner.delete('/v1/channels/gone');

  // Who looks behind the back of the daemon is not to be disturbed by the next turn.
  await owner.patch(lobby, { paused: true });
  await until('nobody speaks any more', async () => {
    const { json } = await owner.get<{ leases: unknown[] }>(`${lobby}/leases`);
    return json.leases.length === 0;
  });
  return { messageIds: [root, attached, ...replies], assetId };

  async function posted(body: object): Promise<void> {
    const { stimulusId } = (await owner.post<Stimulus>(`${lobby}/stimuli`, body)).json;
    await until('it is posted', async () => {
      const { json } = await owner.get<Stimulus>(`${lobby}/stimuli/${stimulusId}`);
      return json.state === 'dispatched';
    });
  }

  async function say(body: object): Promise<string> {
    const posted = await owner.post<Message>(`${lobby}/messages`, body);
    if (posted.status !== 201) throw new Error(posted.text);
    return posted.json.messageId;
  }
}
