import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Member, Message, Session } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FakeModel,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('agents in a channel, over HTTP', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let model: FakeModel;
  let workspace: string;
  let channels = 0;

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-turns-'));
    model = await FakeModel.start({ key: 'sk-turns' });
    daemon = await startDaemon({
      env: {
        OPENAI_BASE_URL: model.openaiUrl,
        OPENAI_API_KEY: 'sk-turns',
        OPENAI_MODEL: 'fake-model',
      },
    });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newChannel = async (policy: object = {}): Promise<string> => {
    channels += 1;
    const channelId = `room-${String(channels)}`;
    const body = { channelId, title: 'Room', purpose: 'To talk', autonomyPolicy: policy };
    expect((await owner.post('/v1/channels', body)).status).toBe(201);
    return channelId;
  };
  const invite = async (
    channelId: string,
    agentId: string,
    driver: object,
    more: object = {},
  ): Promise<Member> => {
    expect((await owner.put(`/v1/agents/${agentId}`, { driver })).status).toBe(200);
    const session = await owner.post<Session>('/v1/sessions', { agentId, workspace });
    expect(session.status, session.text).toBe(201);
    const joined = await owner.post<Member>(`/v1/channels/${channelId}/members`, {
      actorId: `session:${session.json.sessionId}`,
      ...more,
    });
    expect(joined.status, joined.text).toBe(200);
    return joined.json;
  };
  const scripted = (script: string) => ({ kind: 'script', script });
  const post = async (channelId: string, text: string, more: object = {}): Promise<Message> => {
    const posted = await owner.post<Message>(`/v1/channels/${channelId}/messages`, {
      text,
      ...more,
    });
    expect(posted.status, posted.text).toBe(201);
    return posted.json;
  };
  const read = async (channelId: string): Promise<string[]> => {
    const { json } = await owner.get<{ messages: Message[] }>(
      `/v1/channels/${channelId}/messages?limit=100&after=0`,
    );
    return json.messages.map(({ author, inputItems }) => {
      const [item] = inputItems;
      return `${author.displayName}: ${item?.type === 'text' ? item.text : ''}`;
    });
  };
  const closed = (channelId: string, rootMessageId: string): Promise<string> =>
    until('the turn is over', async () => {
      const path = `/v1/channels/${channelId}/threads/${rootMessageId}/decisions`;
      const { json } = await owner.get<{ decisions: { turn: { outcome?: string } }[] }>(path);
      return json.decisions[0]?.turn.outcome;
    });

  it('C-9 C-58 one answers, one abstains, and the messages stay in the thread', async () => {
    const testChannel = await newChannel();
    await invite(testChannel, 'shy', scripted('turns: [{ steps: [{ say: hm }, { pass: true }] }]'));
    await invite(testChannel, 'keen', scripted('turns: [{ steps: [{ emit: "Here I am" }] }]'));
    const { messageId } = await post(testChannel, 'Is anybody there?', {
      addressedMemberIds: ['shy', 'keen'],
    });
    expect(await closed(testChannel, messageId)).toBe('answered');
    expect(await read(testChannel)).toEqual(['owner: Is anybody there?', 'keen: Here I am']);
    const feed = await owner.get<{ messages: Message[] }>(
      `/v1/channels/${testChannel}/messages?scope=feed`,
    );
    expect(feed.json.messages.map((message) => message.messageId)).toEqual([messageId]);
  });

  it('C-5 addressing a non-member is refused, and nothing is stored', async () => {
    const testChannel = await newChannel();
    const refused = await owner.post(`/v1/channels/${testChannel}/messages`, {
      text: 'Hello?',
      addressedMemberIds: ['nobody'],
    });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({ code: 'unknown_member' });
    expect(await read(testChannel)).toEqual([]);
  });

  it('C-11 C-21 agents who name each other stop at the budget', async () => {
    const testChannel = await newChannel();
    for (const [self, other] of [
      ['ping', 'pong'],
      ['pong', 'ping'],
    ] as const) {
      await invite(
        testChannel,
        self,
        scripted(`otherwise: [{ emit: "@${other} your turn" }]\nturns: []`),
      );
    }
    const { messageId } = await post(testChannel, 'Begin', { addressedMemberIds: ['ping'] });
    expect(await closed(testChannel, messageId)).toBe('reply_budget');
    expect(await read(testChannel)).toEqual([
      'owner: Begin',
      'ping: @pong your turn',
      'pong: @ping your turn',
      'ping: @pong your turn',
    ]);
  });

  it('C-20 an agent that cannot be run is passed over, and the post has succeeded', async () => {
    const testChannel = await newChannel();
    await invite(testChannel, 'broken', { kind: 'acp', command: ['/nonexistent/agent'] });
    await invite(testChannel, 'sound', scripted('turns: [{ steps: [{ emit: "I can" }] }]'));
    const { messageId } = await post(testChannel, 'Who can?', {
      addressedMemberIds: ['broken', 'sound'],
    });
    expect(await closed(testChannel, messageId)).toBe('answered');
    expect(await read(testChannel)).toEqual(['owner: Who can?', 'sound: I can']);
    const { json } = await owner.get<{ leases: { memberId: string; outcome: string }[] }>(
      `/v1/channels/${testChannel}/leases?state=all`,
    );
    expect(json.leases.map(({ memberId, outcome }) => [memberId, outcome]).sort()).toEqual([
      ['broken', 'failed'],
      ['sound', 'spoke'],
    ]);
  });

  it('C-24 C-25 expertise decides who speaks first, and the record shows by how much', async () => {
    const testChannel = await newChannel({ maxAgentRepliesPerHumanMessage: 1 });
    const speaks = scripted('otherwise: [{ emit: "I know" }]\nturns: []');
    await invite(testChannel, 'adept', speaks);
    await invite(testChannel, 'cook', speaks, { expertiseTags: ['soup', 'bread'] });
    const { messageId } = await post(testChannel, 'How long does bread take?');
    await closed(testChannel, messageId);
    expect(await read(testChannel)).toContain('cook: I know');
    const { json } = await owner.get<{
      decisions: { candidates: { memberId: string; reason: string; score: object[] }[] }[];
    }>(`/v1/channels/${testChannel}/threads/${messageId}/decisions`);
    expect(json.decisions.at(-1)?.candidates[0]).toMatchObject({
      memberId: 'cook',
      verdict: 'granted',
      reason: 'expertise',
      score: [{ by: 'expertise', value: -1 }],
    });
  });

  it('C-59 the prompt of an agent contains the channel, the members and the last messages, and it answers by emit_output', async () => {
    const testChannel = await newChannel();
    await invite(testChannel, 'thinker', { kind: 'builtin' }, { role: 'reviewer' });
    model.script([
      useTools([toolCall('emit_output', { content: 'It is a garden.' })]),
      say('Done.'),
    ]);
    const { messageId } = await post(testChannel, '@thinker what is this?');
    expect(await closed(testChannel, messageId)).toBe('answered');
    expect(await read(testChannel)).toEqual([
      'owner: @thinker what is this?',
      'thinker: It is a garden.',
    ]);
    const prompt = JSON.stringify(model.requests[0]?.body);
    expect(prompt).toContain(String.raw`You have the turn in the channel \"Room\"`);
    expect(prompt).toContain(String.raw`Its purpose: \"To talk\"`);
    expect(prompt).toMatch(/@thinker \(agent, session:ses_\w+, .{0,2}reviewer/);
    expect(prompt).toContain('You were addressed.');
  });
});
