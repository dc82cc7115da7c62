import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Member, Message, Schedule, Session, Stimulus, ThreadWork } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  LiveSocket,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf } from './stoa-command.js';

const MESSAGE = `msg_${'0'.repeat(26)}`;

describe('stimuli and the work of threads, from outside', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-stimuli-'));
  let daemon: TestDaemon;
  let owner: Caller;
  let run: ReturnType<typeof ownerOf>;
  let channels = 0;

  beforeAll(async () => {
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    run = ownerOf(daemon);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newChannel = async (policy: object = {}): Promise<string> => {
    channels += 1;
    const channelId = `room-${String(channels)}`;
    const body = { channelId, title: 'Room', autonomyPolicy: policy };
    expect((await owner.post('/v1/channels', body)).status).toBe(201);
    return channelId;
  };
  const invite = async (channelId: string, agentId: string, script: string): Promise<Member> => {
    const agent = { driver: { kind: 'script', script }, mode: 'full' };
    expect((await owner.put(`/v1/agents/${agentId}`, agent)).status).toBe(200);
    const session = await owner.post<Session>('/v1/sessions', { agentId, workspace });
    const actorId = `session:${session.json.sessionId}`;
    const joined = await owner.post<Member>(`/v1/channels/${channelId}/members`, { actorId });
    expect(joined.status, joined.text).toBe(200);
    return joined.json;
  };
  const put = (channelId: string, body: object) =>
    owner.post<Stimulus>(`/v1/channels/${channelId}/stimuli`, body);
  const say = async (channelId: string, text: string, more: object = {}): Promise<string> => {
    const body = { text, ...more };
    return (await owner.post<Message>(`/v1/channels/${channelId}/messages`, body)).json.messageId;
  };
  const read = async (channelId: string, query = 'scope=all'): Promise<string[]> => {
    const { json: page } = await owner.get<{ messages: Message[] }>(
      `/v1/channels/${channelId}/messages?limit=100&after=0&${query}`,
    );
    return page.messages.map(({ author, inputItems: [item] }) => {
      return `${author.displayName}: ${item?.type === 'text' ? item.text : ''}`;
    });
  };
  const ended = (channelId: string, stimulusId: string): Promise<Stimulus> =>
    until('it is settled', async () => {
      const path = `/v1/channels/${channelId}/stimuli/${stimulusId}`;
      const { json: stimulus } = await owner.get<Stimulus>(path);
      return ['pending', 'claimed'].includes(stimulus.state) ? undefined : stimulus;
    });
  const listed = async (channelId: string, query = ''): Promise<Stimulus[]> => {
    const path = `/v1/channels/${channelId}/stimuli?limit=100${query}`;
    return (await owner.get<{ stimuli: Stimulus[] }>(path)).json.stimuli;
  };

  it('C-35 C-39 C-43 what does not fit is refused with a code', async () => {
    const testChannel = await newChannel({ maxPendingStimuli: 1 });
    const idea = { kind: 'agent_idea', content: 'x' };
    for (const wrong of [
      { ...idea, scope: 'thread' },
      { ...idea, scope: 'channel', threadRootMessageId: MESSAGE },
    ]) {
      const refused = await put(testChannel, wrong);
      expect([refused.status, refused.json]).toMatchObject([400, { code: 'invalid_stimulus' }]);
    }
    expect((await put(testChannel, { ...idea, kind: 'rumour' })).status).toBe(400);
    expect((await put(testChannel, { ...idea, content: '  ' })).status).toBe(400);
    await owner.patch(`/v1/channels/${testChannel}`, { paused: true });
    const taken = await put(testChannel, { ...idea, kind: 'thread_idle_follow_up' });
    expect([taken.status, taken.json.kind]).toEqual([201, 'thread_idle_followup']);
    const full = await put(testChannel, idea);
    expect([full.status, full.json]).toMatchObject([429, { code: 'too_many_stimuli' }]);
    const missing = await owner.get(`/v1/channels/${testChannel}/stimuli/stm_${'0'.repeat(26)}`);
    expect([missing.status, missing.json]).toMatchObject([404, { code: 'stimulus_not_found' }]);
    const ada = await newPerson(daemon, 'ada');
    expect((await ada.post(`/v1/channels/${testChannel}/stimuli`, idea)).status).toBe(403);
  });

  it('puts in one per idempotency key, and keeps metadata as it was given', async () => {
    const testChannel = await newChannel();
    const body = { kind: 'agent_idea', content: 'once', metadata: { a: [1, null] } };
    const options = { headers: { 'idempotency-key': 'stimulus-1' } };
    const path = `/v1/channels/${testChannel}/stimuli`;
    const first = await owner.post<Stimulus>(path, body, options);
    const second = await owner.post<Stimulus>(path, body, options);
    expect(second.json).toEqual(first.json);
    expect(first.json.metadata).toEqual({ a: [1, null] });
    const { messageId } = await ended(testChannel, first.json.stimulusId);
    const { json: message } = await owner.get<Message>(
      `/v1/channels/${testChannel}/messages/${messageId ?? ''}`,
    );
    expect(message.metadata).toMatchObject({ a: [1, null], stimulusKind: 'agent_idea' });
  });

  it('C-40 C-41 an agent suggests something by its tool, another answers, the first does not', async () => {
    const testChannel = await newChannel();
    await invite(
      testChannel,
      'muse',
      [
        'turns:',
        '  - when: { contains: ideas }',
        '    steps:',
        '      - call: { tool: create_channel_stimulus, input: { content: "We could paint it", dedupeKey: paint } }',
        '      - pass: true',
        'otherwise: [{ pass: true }]',
      ].join('\n'),
    );
    const root = await say(testChannel, '@muse any ideas?', { addressedMemberIds: ['muse'] });
    await until('it is posted', async () => (await read(testChannel, 'scope=feed')).length === 2);
    expect(await read(testChannel)).toEqual(['owner: @muse any ideas?', 'muse: We could paint it']);
    await invite(testChannel, 'critic', 'otherwise: [{ emit: "Green, please" }]');
    const [idea] = await listed(testChannel);
    expect(idea).toMatchObject({ kind: 'agent_idea', state: 'dispatched', dedupeKey: 'paint' });
    expect(idea?.threadRootMessageId).not.toBe(root);
    await put(testChannel, {
      kind: 'task_completed',
      scope: 'thread',
      threadRootMessageId: idea?.threadRootMessageId,
      content: 'The paint is here.',
    });
    await until('somebody answers', async () =>
      (await read(testChannel)).includes('critic: Green, please'),
    );
    expect((await read(testChannel)).filter((line) => line.startsWith('muse:'))).toHaveLength(1);
  });

  it('C-38 C-58 results stand in the feed and point at their thread, details in the thread alone', async () => {
    const testChannel = await newChannel();
    await invite(testChannel, 'quiet', 'otherwise: [{ emit: "Never asked" }]');
    const root = await say(testChannel, 'Build it', { addressedMemberIds: ['owner'] });
    const inThread = { scope: 'thread', threadRootMessageId: root };
    const half = { ...inThread, kind: 'result_summary', content: 'half', progressKey: 'b' };
    await ended(testChannel, (await put(testChannel, half)).json.stimulusId);
    const main = {
      ...inThread,
      kind: 'result_summary',
      visibilityHint: 'main',
      content: 'It is out',
    };
    const { messageId } = await ended(testChannel, (await put(testChannel, main)).json.stimulusId);
    expect(await read(testChannel, 'scope=feed')).toEqual(['owner: Build it', 'system: It is out']);
    expect(await read(testChannel, `threadRootMessageId=${root}`)).toEqual(['system: half']);
    const shown = await owner.get<Message>(
      `/v1/channels/${testChannel}/messages/${messageId ?? ''}`,
    );
    expect(shown.json).toMatchObject({
      author: { kind: 'system' },
      metadata: { canonicalThreadRootMessageId: root },
    });
    const { json: page } = await owner.get<{ work: ThreadWork[] }>(
      `/v1/channels/${testChannel}/thread-work?threadRootMessageId=${root}`,
    );
    expect(page.work).toMatchObject([{ status: 'completed', topicKind: 'human' }]);
    const leases = await owner.get<{ leases: [] }>(`/v1/channels/${testChannel}/leases?state=all`);
    expect(leases.json.leases).toEqual([]);
  });

  it('C-44 a schedule that an agent makes in a thread tells there of its fires and results', async () => {
    const testChannel = await newChannel();
    const cadence = '{ kind: interval, everyMs: 3600000 }';
    const call = `{ call: { tool: create_schedule, input: { title: Look, task: look now, cadence: ${cadence} } } }`;
    await invite(
      testChannel,
      'watcher',
      `turns: [{ when: { contains: watch }, steps: [${call}, { emit: "I will" }] }]\notherwise: [{ emit: "All is well" }]`,
    );
    const root = await say(testChannel, 'please watch it');
    const schedule = await until('it is made', async () => {
      const { json: page } = await owner.get<{ schedules: Schedule[] }>('/v1/schedules');
      return page.schedules.find(({ channelId }) => channelId === testChannel);
    });
    expect(schedule).toMatchObject({ threadRootMessageId: root, title: 'Look' });
    await until('it has answered', async () =>
      (await read(testChannel)).includes('watcher: I will'),
    );
    await owner.post(`/v1/schedules/${schedule.scheduleId}/trigger`);
    const thread = `threadRootMessageId=${root}`;
    await until('its result is reported', async () =>
      (await read(testChannel, thread)).includes('watcher: All is well'),
    );
    expect(await read(testChannel, thread)).toEqual([
      'watcher: I will',
      'watcher: The schedule “Look” fired; I am on it.',
      'watcher: All is well',
    ]);
    const { json: page } = await owner.get<{ work: ThreadWork[] }>(
      `/v1/channels/${testChannel}/thread-work`,
    );
    expect(page.work[0]?.bindings).toMatchObject([
      { bindingKind: 'schedule', bindingRef: schedule.scheduleId },
    ]);
  });

  it('C-45 the status of thread work regresses only by a reopening; a verdict is posted in the thread', async () => {
    const testChannel = await newChannel();
    const root = await say(testChannel, 'A plan');
    const path = `/v1/channels/${testChannel}/thread-work/${root}`;
    const review = { verdict: 'approved', note: 'ship it' };
    expect((await owner.patch<ThreadWork>(path, { review })).json.status).toBe('reviewing');
    expect((await owner.patch<ThreadWork>(path, { status: 'completed' })).status).toBe(200);
    const falls = await owner.patch(path, { status: 'active' });
    expect([falls.status, falls.json]).toMatchObject([409, { code: 'status_regression' }]);
    const again = await owner.patch<ThreadWork>(path, { status: 'active', reopen: true });
    expect(again.json.status).toBe('active');
    await until('it is reported', async () =>
      (await read(testChannel)).includes('system: Reviewed by owner, approved: ship it'),
    );
    const reply = await say(testChannel, 'more', { threadRootMessageId: root });
    const noRoot = await owner.patch(`/v1/channels/${testChannel}/thread-work/${reply}`, {
      status: 'active',
    });
    expect([noRoot.status, noRoot.json]).toMatchObject([404, { code: 'work_not_found' }]);
  });

  it('is followed live: its creation, its outcome and its effect on the thread work', async () => {
    const testChannel = await newChannel();
    const socket = await LiveSocket.open(daemon.url, { token: daemon.token });
    socket.say({ type: 'subscribe', topic: `channel:${testChannel}`, after: 0 });
    await put(testChannel, { kind: 'agent_idea', content: 'Look here' });
    const wanted = [
      'stimulus_created',
      'stimulus_claimed',
      'stimulus_dispatched',
      'thread_work_changed',
    ];
    await until('all events arrive', () => {
      const received = socket.frames.map((frame) => JSON.stringify(frame)).join('\n');
      return wanted.every((type) => received.includes(`"${type}"`));
    });
    await socket.close();
  });

  it('puts in, lists, shows, takes back and replays from the command line', async () => {
    const testChannel = await newChannel();
    await run(['channel', 'pause', testChannel]);
    const put = ['stimulus', 'create', testChannel, '--kind', 'agent_idea', '--dedupe', 'paint'];
    const id = (await run([...put, 'Paint', 'it'])).out.trim();
    expect(id).toMatch(/^stm_/);
    expect((await run(['stimulus', 'list', testChannel])).out).toMatch(
      /agent_idea +pending .*Paint it\n/,
    );
    expect((await run(['stimulus', 'cancel', testChannel, id])).out).toMatch(
      /state +cancelled: cancelled/,
    );
    await run(['channel', 'resume', testChannel]);
    expect((await run(['stimulus', 'replay', testChannel, id])).code).toBe(0);
    const { messageId } = await ended(testChannel, id);
    expect((await run(['stimulus', 'show', testChannel, id])).out).toMatch(/state +dispatched/);
    expect((await run(['stimulus', 'cancel', testChannel, id])).err).toContain(
      '(stimulus_settled)',
    );
    expect((await run(['work', 'list', testChannel, '--open'])).out).toMatch(
      /active +autonomous_root/,
    );
    const verdict = ['--verdict', 'rejected', '--note', 'too green'];
    const updated = await run(['work', 'update', testChannel, messageId ?? '', ...verdict]);
    expect(updated.out).toMatch(/review +rejected by human:owner: too green/);
    const work = await json<ThreadWork>(
      run(['work', 'show', testChannel, messageId ?? '', '--json']),
    );
    expect(work).toMatchObject({ status: 'reviewing', initiativeKey: 'paint' });
    expect((await run(['stimulus', 'create', testChannel, 'x'])).code).toBe(2);
  });

  it('C-46 C-62 a daemon that is killed among stimuli posts each of them once', async () => {
    const testChannel = await newChannel();
    const root = await say(testChannel, 'A subject');
    const many = await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        put(testChannel, {
          kind: 'task_completed',
          scope: 'thread',
          threadRootMessageId: root,
          content: `news ${String(n)}`,
        }),
      ),
    );
    await daemon.kill();
    daemon = await startDaemon({ home: daemon.home });
    owner = callerOf(daemon.url, daemon.token);
    run = ownerOf(daemon);
    for (const { json: stimulus } of many) {
      expect((await ended(testChannel, stimulus.stimulusId)).state).toBe('dispatched');
    }
    const posted = (await read(testChannel)).filter((line) => line.startsWith('system: news'));
    expect(posted).toHaveLength(25);
    expect(new Set(posted).size).toBe(25);
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true });
  });
});
