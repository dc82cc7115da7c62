import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Member, Message, StampedDecision } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  readAgentLog,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf } from './stoa-command.js';
import { scripted, TestChannel } from './test-channel.js';

const ONE_REPLY = { maxAgentRepliesPerHumanMessage: 1 };
const LONG_COOLDOWN = { memberCooldownMs: 600_000 };
const NO_COOLDOWN = { memberCooldownMs: 0 };

describe('a person who continues in a thread', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let run: ReturnType<typeof ownerOf>;
  let workspace: string;
  let channelCount = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-follow-')));
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    run = ownerOf(daemon);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newRoom = (policy: object): Promise<TestChannel> => {
    channelCount += 1;
    return TestChannel.open(owner, {
      channelId: `follow-${String(channelCount)}`,
      policy,
      workspace,
    });
  };
  const channelOf = ({ topic }: TestChannel): string => topic.slice('channel:'.length);
  /** An agent with a name of its own for each testChannel, which repeats what it was asked unless `turns` say otherwise. */
  const invite = (testChannel: TestChannel, name: string, turns = ''): Promise<Member> =>
    testChannel.invite(
      `${name}-${String(channelCount)}`,
      scripted(`${turns}\notherwise: [{ say: "${name} on \${input}" }]`),
      { displayName: name, mode: 'full' },
    );
  /** Posts with the command line; returns the id of the message. */
  const send = async (
    testChannel: TestChannel,
    text: string,
    threadRootMessageId: string,
  ): Promise<string> => {
    const sent = await run(['send', channelOf(testChannel), text, '--thread', threadRootMessageId]);
    expect(sent.code, sent.err).toBe(0);
    return sent.out.trim();
  };
  const why = async (messageId: string): Promise<string> => (await run(['why', messageId])).out;
  /** What was decided in the commit that stored a message: "name verdict reason" of each candidate. */
  const verdictsAt = async (testChannel: TestChannel, rootMessageId: string, messageId: string) => {
    const decision = (await testChannel.decisions(rootMessageId)).find(
      ({ trigger }) => trigger.messageId === messageId,
    );
    return (decision?.candidates ?? []).map(
      ({ memberId, verdict, reason }) => `${memberId.replace(/-\d+$/, '')} ${verdict} ${reason}`,
    );
  };
  const lastTurn = async (
    testChannel: TestChannel,
    rootMessageId: string,
  ): Promise<StampedDecision['turn']> =>
    ((await testChannel.decisions(rootMessageId)).at(-1) as StampedDecision).turn;
  const outcomes = async (testChannel: TestChannel, rootMessageId: string): Promise<string[]> =>
    (await testChannel.outcomes(rootMessageId)).map(
      ([memberId, outcome]) => `${memberId.replace(/-\d+$/, '')} ${outcome}`,
    );
  const lineOf = (message: Message | undefined): string => {
    const item = message?.inputItems[0];
    return `${message?.author.displayName ?? 'nobody'}: ${item?.type === 'text' ? item.text : ''}`;
  };

  /** A command in which a run stays until it is released. */
  const hold = (name: string) => {
    const file = join(workspace, name);
    const command = `touch ${file}.reached; until [ -e ${file}.go ]; do sleep 0.02; done`;
    return {
      step: `{ call: { tool: shell, input: { command: '${command}' } } }`,
      reached: () => until(`${name} is reached`, () => existsSync(`${file}.reached`)),
      release: () => writeFileSync(`${file}.go`, ''),
    };
  };

  it('DU-3 is answered by the last speaker of this thread, not by the one who spoke last elsewhere, unless they name it', async () => {
    const testChannel = await newRoom({ ...ONE_REPLY, ...LONG_COOLDOWN });
    await invite(testChannel, 'ann');
    await invite(testChannel, 'ben');
    const { messageId } = await testChannel.post('@ben begin');
    await testChannel.closed(messageId);
    const elsewhere = await testChannel.post('@ann elsewhere');
    await testChannel.closed(elsewhere.messageId);
    const followUp = await send(testChannel, 'go on', messageId);
    expect(await testChannel.closed(messageId)).toBe('reply_budget');
    expect(await verdictsAt(testChannel, messageId, followUp)).toEqual([
      'ben granted last_in_thread',
      'ann queued member',
    ]);
    expect(await why(messageId)).toMatch(/ben +granted +spoke last in this thread\n.*ann +queued/);
    const named = await send(testChannel, 'and you, @ann?', messageId);
    expect(await testChannel.closed(messageId)).toBe('reply_budget');
    expect((await verdictsAt(testChannel, messageId, named))[0]).toBe('ann granted addressed');
    expect(await outcomes(testChannel, messageId)).toEqual(['ben spoke', 'ben spoke', 'ann spoke']);
  });

  it('DU-4 C-57 waives the cooldown of nobody else; messages of agents and stimuli waive none', async () => {
    const testChannel = await newRoom({ ...ONE_REPLY, ...LONG_COOLDOWN });
    const log = join(workspace, 'poster.log');
    const env = { FAKE_AGENT: JSON.stringify({ log }) };
    await invite(testChannel, 'ann');
    await invite(testChannel, 'ben');
    await testChannel.invite('poster', {
      kind: 'acp',
      command: [process.execPath, FAKE_AGENT],
      env,
    });
    const { messageId: first } = await testChannel.post('@poster !stop end_turn');
    await testChannel.closed(first);
    const { messageId } = await testChannel.post('@ann begin');
    await testChannel.closed(messageId);
    await testChannel.post('@ben and you?', { threadRootMessageId: messageId });
    await testChannel.closed(messageId);
    const followUp = await send(testChannel, 'and?', messageId);
    await testChannel.closed(messageId);
    expect(await verdictsAt(testChannel, messageId, followUp)).toEqual([
      'ben granted last_in_thread',
      'ann skipped cooling_down',
      'poster queued member',
    ]);
    const before = await outcomes(testChannel, messageId);
    expect(before).toEqual(['ann spoke', 'ben spoke', 'ben spoke']);
    const decided = (await testChannel.decisions(messageId)).length;
    // An agent posts in the thread, with the token of its session.
    const { mcpServers } = readAgentLog(log).find(({ type }) => type === 'new') as unknown as {
      mcpServers: { headers: { value: string }[] }[];
    };
    const token = mcpServers[0]?.headers[0]?.value.replace('Bearer ', '') ?? '';
    const post = { text: 'and?', threadRootMessageId: messageId };
    const posted = await callerOf(daemon.url, token).post(`${testChannel.path}/messages`, post);
    expect(posted.status, posted.text).toBe(201);
    expect(await testChannel.decisions(messageId)).toHaveLength(decided);
    const stimulus = { kind: 'agent_idea', scope: 'thread', content: 'and?' };
    const made = await owner.post(`${testChannel.path}/stimuli`, {
      ...stimulus,
      threadRootMessageId: messageId,
    });
    expect(made.status, made.text).toBe(201);
    const shown = await until('the stimulus is posted', async () =>
      (await testChannel.messages()).find(({ author }) => author.kind === 'system'),
    );
    expect((await verdictsAt(testChannel, messageId, shown.messageId)).toSorted()).toEqual([
      'ann skipped cooling_down',
      'ben skipped cooling_down',
      'poster skipped cooling_down',
    ]);
    expect(await outcomes(testChannel, messageId)).toEqual(before);
  });

  it('DU-5 has all replies for the second message, although the first is still being answered when the daemon is killed', async () => {
    const testChannel = await newRoom({ maxAgentRepliesPerHumanMessage: 2, ...NO_COOLDOWN });
    const held = hold('du-5');
    await invite(
      testChannel,
      'ann',
      `turns: [{ when: { contains: first }, steps: [{ emit: to the first }, ${held.step}] }]`,
    );
    await invite(testChannel, 'ben');
    const { messageId } = await testChannel.post('@ann first');
    await held.reached();
    const second = await send(testChannel, 'second', messageId);
    await daemon.kill();
    held.release();
    const { home, port } = daemon;
    daemon = await startDaemon({ home, env: { STOA_PORT: String(port) } });
    expect(await testChannel.closed(messageId)).toBe('reply_budget');
    const [, , ...replies] = await testChannel.messages();
    expect(replies.map((reply) => [lineOf(reply), reply.replyToMessageId])).toEqual([
      ['ann: to the first', messageId],
      ['ann: ann on second', second],
      ['ben: ben on second', second],
    ]);
    expect(await lastTurn(testChannel, messageId)).toMatchObject({
      originMessageId: second,
      replies: 2,
      startedRuns: 2,
    });
    expect(await why(messageId)).toContain('the reply limit was reached (2 replies, 2 runs,');
  });

  it('DU-6 is answered by the named agent with a budget of one, although the reply to the first message calls another', async () => {
    const testChannel = await newRoom({ ...ONE_REPLY, ...LONG_COOLDOWN });
    const held = hold('du-6');
    await invite(
      testChannel,
      'ann',
      `turns: [{ when: { contains: first }, steps: [${held.step}, { say: "@cyd what do you think?" }] }]`,
    );
    await invite(testChannel, 'ben');
    await invite(testChannel, 'cyd');
    const { messageId } = await testChannel.post('@ann first');
    await held.reached();
    const second = await send(testChannel, '@ben second', messageId);
    held.release();
    expect(await testChannel.closed(messageId)).toBe('reply_budget');
    expect(await outcomes(testChannel, messageId)).toEqual(['ann spoke', 'ben spoke']);
    expect(await lastTurn(testChannel, messageId)).toMatchObject({
      originMessageId: second,
      replies: 1,
      startedRuns: 1,
    });
    expect((await testChannel.read()).slice(2)).toEqual([
      'ann: @cyd what do you think?',
      'ben: ben on @ben second',
    ]);
    expect(await why(messageId)).toContain('the reply limit was reached (1 reply, 1 run,');
  });

  it('DU-7 loses no reply to an agent that answers a stimulus meanwhile', async () => {
    const testChannel = await newRoom({ ...ONE_REPLY, ...NO_COOLDOWN });
    const held = hold('du-7');
    const ann = await invite(
      testChannel,
      'ann',
      `turns: [{ when: { contains: news }, steps: [${held.step}, { say: about the news }] }]`,
    );
    await invite(testChannel, 'ben');
    const { messageId } = await testChannel.post('@ann begin');
    await testChannel.closed(messageId);
    const made = await owner.post(`${testChannel.path}/stimuli`, {
      kind: 'agent_idea',
      scope: 'thread',
      threadRootMessageId: messageId,
      addressedMemberIds: [ann.memberId],
      content: 'There is news',
    });
    expect(made.status, made.text).toBe(201);
    await held.reached();
    const asked = await send(testChannel, '@ben and now?', messageId);
    held.release();
    expect(await testChannel.closed(messageId)).toBe('reply_budget');
    expect(await lastTurn(testChannel, messageId)).toMatchObject({
      originMessageId: asked,
      replies: 1,
    });
    expect((await testChannel.read()).slice(-2)).toEqual([
      'ann: about the news',
      'ben: ben on @ben and now?',
    ]);
    expect(await why(messageId)).toContain('the reply limit was reached (1 reply, 1 run,');
  });

  it('DU-8 an agent that another agent calls replies to its caller, in the thread and turn of the person', async () => {
    const testChannel = await newRoom(LONG_COOLDOWN);
    await invite(
      testChannel,
      'ann',
      'turns: [{ when: { contains: begin }, steps: [{ say: "@ben please" }] }]',
    );
    const ben = await invite(testChannel, 'ben', 'turns: [{ steps: [{ say: done }] }]');
    const { messageId } = await testChannel.post('@ann begin');
    expect(await testChannel.closed(messageId)).toBe('answered');
    const [, call, answer, ...more] = await testChannel.messages();
    expect([lineOf(call), lineOf(answer), more]).toEqual(['ann: @ben please', 'ben: done', []]);
    expect(call).toMatchObject({
      threadRootMessageId: messageId,
      replyToMessageId: messageId,
      addressedMemberIds: [ben.memberId],
    });
    expect(answer).toMatchObject({
      threadRootMessageId: messageId,
      replyToMessageId: call?.messageId,
    });
    const turns = (await testChannel.decisions(messageId)).map(({ turn }) => turn);
    expect(new Set(turns.map(({ turnId }) => turnId)).size).toBe(1);
    expect(turns.at(-1)).toMatchObject({ originMessageId: messageId, replies: 2 });
    expect(await why(messageId)).toMatch(/ben +granted +was called/);
  });
});
