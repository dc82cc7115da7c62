import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verdictsOn } from '@stoa/client';
import type { Message, ReadCursor, Session, StampedDecision } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf } from './stoa-command.js';
import { scripted, TestChannel } from './test-channel.js';

describe('people and agents who are named, and follow-ups in threads', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;
  let bob: Caller;
  let run: ReturnType<typeof ownerOf>;
  let workspace: string;
  let channelCount = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-named-')));
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    run = ownerOf(daemon);
    [ada, bob] = [await newPerson(daemon, 'ada'), await newPerson(daemon, 'bob')];
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newRoom = async (policy: object = {}): Promise<TestChannel> => {
    channelCount += 1;
    const testChannel = await TestChannel.open(owner, {
      channelId: `named-${String(channelCount)}`,
      policy,
      workspace,
    });
    for (const person of [ada, bob]) {
      expect((await person.post(`${testChannel.path}/members`, {})).status).toBe(200);
    }
    return testChannel;
  };
  const channelOf = ({ topic }: TestChannel): string => topic.slice('channel:'.length);
  /** The messages of a channel for which somebody got a notice. */
  const mentions = async (name: 'ada' | 'bob', testChannel: TestChannel): Promise<string[]> => {
    const { json } = await { ada, bob }[name].get<{
      events: { type: string; data: { channelId: string; messageId: string } }[];
    }>(`/v1/topics/human:${name}/events?after=0&limit=200`);
    return json.events
      .filter(({ type, data }) => type === 'mentioned' && data.channelId === channelOf(testChannel))
      .map(({ data }) => data.messageId);
  };
  const mcp = (channelId: string, args: object) =>
    owner.post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'post_message', arguments: { channelId, ...args } },
      },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
  const last = async (testChannel: TestChannel): Promise<Message> =>
    (await testChannel.messages()).at(-1) as Message;

  it('DU-9 people whom an agent names get one notice each, in replies, stimulus posts and command answers', async () => {
    const testChannel = await newRoom();
    await testChannel.invite(
      'herald',
      scripted('otherwise: [{ say: "@ada and @bob, it is out. @ada!" }]'),
    );
    const { messageId, seq } = await testChannel.post('@herald tell them');
    await testChannel.closed(messageId);
    const reply = await last(testChannel);
    expect(reply.addressedMemberIds).toEqual(['ada', 'bob']);
    const stimulus = await owner.post(`${testChannel.path}/stimuli`, {
      kind: 'result_summary',
      content: 'It is done, @bob.',
    });
    expect(stimulus.status, stimulus.text).toBe(201);
    const posted = await until('it is posted', async () => {
      const message = await last(testChannel);
      return message.author.kind === 'system' ? message : undefined;
    });
    expect(posted.addressedMemberIds).toEqual(['bob']);
    const identity = { displayName: 'The friends of @bob' };
    expect((await owner.patch(testChannel.path, { identity })).status).toBe(200);
    const answer = await testChannel.post('/who');
    expect(answer).toMatchObject({ author: { kind: 'system' }, addressedMemberIds: ['bob'] });
    expect(await mentions('ada', testChannel)).toEqual([reply.messageId]);
    expect(await mentions('bob', testChannel)).toEqual([
      reply.messageId,
      posted.messageId,
      answer.messageId,
    ]);
    // Bob has read the question, and no message since. Each of the unread messages names him.
    const { json } = await bob.put<ReadCursor>(`${testChannel.path}/cursor`, { readSeq: seq });
    const after = (await testChannel.messages()).filter((message) => message.seq > seq);
    expect(after.map((message) => message.messageId)).toEqual(await mentions('bob', testChannel));
    expect(json.unreadCount).toBe(3);
    const unread = await run(['unread'], { env: { STOA_TOKEN: bob.token } });
    expect(unread.out).toMatch(new RegExp(`^${channelOf(testChannel)} +3 `, 'm'));
    const read = ['history', channelOf(testChannel), '--mark-read'];
    expect((await run(read, { env: { STOA_TOKEN: bob.token } })).out).toContain(
      'It is done, @bob.',
    );
    expect((await run(['unread'], { env: { STOA_TOKEN: bob.token } })).out).not.toContain(
      channelOf(testChannel),
    );
  });

  it('DU-10 a person who is named after an @ gets a notice, whether the text came by HTTP, MCP or the command line', async () => {
    const testChannel = await newRoom();
    const posted = await testChannel.post('see this, @ada');
    expect(posted.addressedMemberIds).toEqual(['ada']);
    expect((await mcp(channelOf(testChannel), { text: 'and this, @ada' })).text).toContain(
      'Posted as',
    );
    const sent = await run(['send', channelOf(testChannel), 'and that, @ada']);
    expect(sent.code).toBe(0);
    await testChannel.post('mail ada@example.org, and @owner');
    const messages = await testChannel.messages();
    expect(await mentions('ada', testChannel)).toEqual(
      messages.slice(0, 3).map((each) => each.messageId),
    );
    expect(await mentions('bob', testChannel)).toEqual([]);
  });

  it('DU-11 the longest name after an @ counts, by HTTP, MCP, the command line and in the text of an agent', async () => {
    const testChannel = await newRoom({ memberCooldownMs: 0 });
    await testChannel.invite('build', scripted('otherwise: [{ say: I am Build }]'), {
      displayName: 'Build',
    });
    await testChannel.invite('bot', scripted('otherwise: [{ say: I am the bot }]'), {
      displayName: 'Build Bot',
    });
    const text = 'what does @Build Bot suggest?';
    await testChannel.invite('asker', scripted(`otherwise: [{ say: '${text}' }]`));
    const surfaces: [string, () => Promise<unknown>][] = [
      ['http', () => testChannel.post(text)],
      ['mcp', () => mcp(channelOf(testChannel), { text })],
      ['cli', () => run(['send', channelOf(testChannel), text])],
      ['agent', () => testChannel.post('@asker ask')],
    ];
    for (const [name, send] of surfaces) {
      const before = (await testChannel.messages()).length;
      await send();
      const root = (await testChannel.messages())[before] as Message;
      expect(await testChannel.closed(root.messageId), name).toBe('answered');
      const [named, answer] = (await testChannel.messages()).slice(
        name === 'agent' ? before + 1 : before,
      );
      expect(named?.addressedMemberIds, name).toEqual(['bot']);
      expect(answer?.author.displayName, name).toBe('Build Bot');
    }
    expect(await testChannel.read()).not.toContain('Build: I am Build');
  });

  it('DU-12 a message to two hundred agents adds little to the log, and stoa why explains each of them', async () => {
    const testChannel = await newRoom();
    const agent = { driver: scripted('otherwise: [{ pass: true }]') };
    expect((await owner.put('/v1/agents/one', agent)).status).toBe(200);
    const bring = async (i: number): Promise<void> => {
      const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'one', workspace });
      const member = { actorId: `session:${json.sessionId}`, memberId: `agent-${String(i)}` };
      const more = i >= 110 ? { muted: true } : i === 50 ? { expertiseTags: ['bread'] } : {};
      expect((await owner.post(`${testChannel.path}/members`, { ...member, ...more })).status).toBe(
        200,
      );
    };
    for (let i = 0; i < 200; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, offset) => bring(i + offset)));
    }
    const { messageId, seq } = await testChannel.post('How long does bread take?');
    await testChannel.closed(messageId);
    const { json } = await owner.get<{ events: { type: string; data: object }[] }>(
      `/v1/topics/${testChannel.topic}/events?after=${String(seq)}&limit=200`,
    );
    const decided = json.events.filter(({ type }) => type === 'turn_decided');
    expect(decided.length).toBeGreaterThan(2);
    expect(decided.reduce((sum, event) => sum + JSON.stringify(event).length, 0)).toBeLessThan(
      16_384,
    );
    const why = async (member: string): Promise<string> =>
      (await run(['why', messageId, '--member', member])).out.split('\n')[1] ?? '';
    expect(await why('agent-50')).toMatch(/ granted: knows what this is about$/);
    // The two groups are large: 109 are queued, 90 are muted.
    expect(await why('agent-109')).toMatch(/ queued: is a member$/);
    expect(await why('agent-199')).toMatch(/ skipped: is muted$/);
    const [first] = await testChannel.decisions(messageId);
    for (let i = 0; i < 200; i++) {
      const expected =
        i >= 110 ? 'skipped muted' : i === 50 ? 'granted expertise' : 'queued member';
      const found = verdictsOn(first as StampedDecision, `agent-${String(i)}`);
      expect(found.map(({ verdict, reason }) => `${verdict} ${reason}`)).toEqual([expected]);
    }
    expect((await run(['why', messageId, '--member', 'nobody'])).code).toBe(2);
    expect((await run(['why', messageId])).out).toMatch(/and \d+ queued: is a member\n/);
  });

  it('DU-2 DU-1 a follow-up in a thread goes to the last speaker at once, by HTTP, MCP and the command line', async () => {
    const testChannel = await newRoom({
      maxAgentRepliesPerHumanMessage: 1,
      memberCooldownMs: 600_000,
    });
    await testChannel.invite('first', scripted('otherwise: [{ say: "first received: ${input}" }]'));
    await testChannel.invite(
      'second',
      scripted('otherwise: [{ say: "second received: ${input}" }]'),
    );
    const { messageId } = await testChannel.post('@second begin');
    await testChannel.closed(messageId);
    const surfaces: [string, (text: string) => Promise<unknown>][] = [
      ['http', (text) => testChannel.post(text, { threadRootMessageId: messageId })],
      ['mcp', (text) => mcp(channelOf(testChannel), { text, threadRootMessageId: messageId })],
      ['cli', (text) => run(['send', channelOf(testChannel), text, '--thread', messageId])],
    ];
    for (const [name, send] of surfaces) {
      await send(`and by ${name}?`);
      await until(`${name} is answered`, async () =>
        (await testChannel.read()).includes(`second: second received: and by ${name}?`),
      );
      const { json } = await owner.get<{ decisions: StampedDecision[] }>(
        `${testChannel.path}/threads/${messageId}/decisions?limit=2`,
      );
      expect(json.decisions[1]?.candidates.slice(0, 2)).toMatchObject([
        { memberId: 'second', verdict: 'granted', reason: 'last_in_thread' },
        { memberId: 'first', verdict: 'queued' },
      ]);
    }
    expect((await run(['why', messageId])).out).toMatch(
      /second +granted +spoke last in this thread/,
    );
  });
});
