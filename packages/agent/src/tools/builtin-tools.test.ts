import {
  decide,
  type NewRunMessage,
  type NewRunSchedule,
  type NewRunStimulus,
  type RunContext,
} from '@stoa/core';
import {
  type InboxItem,
  LIMITS,
  type Message,
  type Schedule,
  type Stimulus,
  StoaError,
} from '@stoa/protocol';
import { WorkspaceRun } from '@stoa/testkit';
import { afterEach, expect, it } from 'vitest';
import { builtinTools } from './builtin-tools.js';
import { Sandbox } from './shell/sandbox.js';
import { selectTools, ToolRunner } from './tool-runner.js';

const TEXT = `ast_${'0'.repeat(26)}`;
const PICTURE = `ast_${'1'.repeat(26)}`;
const ROOT = `msg_${'0'.repeat(26)}`;
const messageOf = (seq: number, text: string): Message => ({
  messageId: `msg_${String(seq).padStart(26, '0')}`,
  channelId: 'team',
  seq,
  author: { kind: 'agent', id: 'session:ses_1', displayName: 'Bee' },
  addressedMemberIds: [],
  inputItems: [{ type: 'text', text }],
  createdAt: 0,
  replyCount: 0,
  reactions: [{ emoji: '👍', count: 2, actorIds: [] }],
  metadata: {},
});

const worlds: WorkspaceRun[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.discard();
});

async function staged(webFetch?: object) {
  const world = await WorkspaceRun.open();
  worlds.push(world);
  const sent: (NewRunMessage & { callId: string })[] = [];
  const put: (NewRunStimulus & { callId: string })[] = [];
  const made: (NewRunSchedule & { callId: string })[] = [];
  const actions: unknown[] = [];
  const tools = builtinTools({
    tasksDirectory: world.outside('tasks'),
    sandbox: new Sandbox({ home: world.home }),
    webFetch,
  });
  const context: RunContext = {
    ...world.context,
    messages: {
      send: (callId, message) => {
        if (message.text === 'refused') throw new StoaError('inbox_full', 'Too much waits');
        sent.push({ callId, ...message });
        return Promise.resolve({ itemId: 'itm_1', appliedRule: 'followup' } as InboxItem);
      },
    },
    stimuli: {
      create: (callId, stimulus) => {
        if (stimulus.content === 'refused') {
          throw new StoaError('too_many_stimuli', 'Too many wait');
        }
        put.push({ callId, ...stimulus });
        return Promise.resolve({ stimulusId: 'stm_1' } as Stimulus);
      },
    },
    schedules: {
      create: (callId, schedule) => {
        made.push({ callId, ...schedule });
        return Promise.resolve({ scheduleId: 'sch_1' } as Schedule);
      },
    },
    channels: {
      react: (channelId, reaction) => {
        actions.push({ channelId, ...reaction });
        return Promise.resolve();
      },
      readAsset: (channelId, assetId) => {
        actions.push({ channelId, assetId });
        const bytes = assetId === TEXT ? Buffer.from('é'.repeat(30_000)) : Buffer.from([0, 1, 2]);
        const mediaType = assetId === TEXT ? 'text/plain' : 'image/png';
        return Promise.resolve({ asset: { assetId, mediaType, bytes: bytes.length }, bytes });
      },
      readThread: (location, range) => {
        actions.push({ ...location, ...range });
        const root = messageOf(1, 'Shall we?');
        const replies = [messageOf(2, 'x'.repeat(5_000)), messageOf(3, 'Yes')];
        return Promise.resolve({ root, replies, hasMore: true });
      },
    },
  };
  const runner = new ToolRunner({
    tools,
    decide,
    home: world.home,
    now: () => performance.now(),
    diagnose: () => undefined,
  });
  const call = (tool: string, input: unknown, callId = 'call_1') =>
    runner.call({ run: context, callId, tool, input });
  const inTurn = (tool: string, input: unknown, callId = 'call_1') => {
    const origin = { channelId: 'team', threadRootMessageId: ROOT, messageId: ROOT };
    const run = { ...context, kind: 'channel_delivery' as const, origin };
    return runner.call({ run, callId, tool, input });
  };
  return { world, tools, runner, call, inTurn, sent, put, made, actions };
}

it('offers web_fetch only if it is enabled', async () => {
  const names = async (webFetch?: object) => (await staged(webFetch)).tools.map(({ name }) => name);
  expect(await names()).not.toContain('web_fetch');
  expect(await names({})).toContain('web_fetch');
});

it('describes the input of every tool as an object without additional properties', async () => {
  const { world, runner } = await staged({});
  const described = await runner.describe(world.context);
  expect(described).toHaveLength(23);
  for (const { inputSchema } of described) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  expect(await runner.describe(world.context)).toEqual(described);
});

it('offers the tools that an agent selects', async () => {
  const { tools } = await staged();
  const names = (selection: Parameters<typeof selectTools>[1]) => [
    ...selectTools(tools, selection).keys(),
  ];
  expect(names({ only: ['shell', 'glob'] })).toEqual(['glob', 'shell']);
  expect(names({ only: ['shell', 'glob'], without: ['shell'] })).toEqual(['glob']);
  expect(names(undefined)).toHaveLength(22);
  expect(names({ without: ['shell'] })).not.toContain('shell');
});

it('emit_output puts the answer into the journal', async () => {
  const { world, call } = await staged();
  expect(await call('emit_output', { content: 'The answer' })).toMatchObject({ outcome: 'ok' });
  const [emitted] = await world.session().all('output_emitted');
  expect(emitted?.data.items).toEqual([{ type: 'text', text: 'The answer' }]);
  const long = { content: 'x'.repeat(LIMITS.textChars + 1) };
  expect(await call('emit_output', long, 'call_2')).toMatchObject({ outcome: 'error' });
});

it('R-37 send_message sends a message to a session, and reports why it was refused', async () => {
  const { world, call, sent } = await staged();
  const to = world.sessionId;
  const input = { to, message: 'hello', subject: 'greeting' };
  expect(await call('send_message', input)).toMatchObject({
    outcome: 'ok',
    forModel: 'Sent as itm_1. It waits for a run of its own.',
  });
  expect(sent).toEqual([{ callId: 'call_1', toSessionId: to, text: 'hello', subject: 'greeting' }]);
  expect(await call('send_message', { to, message: 'refused' }, 'call_2')).toMatchObject({
    outcome: 'error',
    output: 'inbox_full: Too much waits',
  });
  expect(await call('send_message', { to: 'me', message: 'x' }, 'call_3')).toMatchObject({
    outcome: 'error',
  });
});

it('C-41 create_channel_stimulus stores a message, by default as an idea', async () => {
  const { call, put } = await staged();
  expect(await call('create_channel_stimulus', { content: 'Cache it' })).toMatchObject({
    outcome: 'ok',
    forModel: 'Stored as stm_1. The channel decides where and when it is posted.',
  });
  expect(put).toMatchObject([
    { callId: 'call_1', content: 'Cache it', kind: 'agent_idea', scope: 'channel' },
  ]);
  const refused = await call('create_channel_stimulus', { content: 'refused' }, 'call_2');
  expect(refused).toMatchObject({ outcome: 'error', output: 'too_many_stimuli: Too many wait' });
  const wrongKind = { content: 'x', kind: 'task_completed' };
  expect(await call('create_channel_stimulus', wrongKind, 'call_3')).toMatchObject({
    outcome: 'error',
  });
});

it('C-44 create_schedule asks people first, and stores when and what', async () => {
  const { world, tools, call, made } = await staged();
  expect(tools.find(({ name }) => name === 'create_schedule')?.kind).toBe('other');
  const input = { title: 'Nightly', task: 'Look', cadence: { kind: 'interval', everyMs: 60_000 } };
  const calling = call('create_schedule', input);
  await world.answer({ decision: 'allow' });
  expect(await calling).toMatchObject({ outcome: 'ok', forModel: 'Created as sch_1.' });
  const { task: text, ...schedule } = input;
  expect(made).toEqual([{ callId: 'call_1', ...schedule, text }]);
});

it('set_channel_reaction works only in the channel of the turn', async () => {
  const { call, inTurn, actions } = await staged();
  const reaction = { messageId: ROOT, emoji: '👍' };
  expect(await call('set_channel_reaction', reaction)).toMatchObject({ outcome: 'error' });
  expect(await inTurn('set_channel_reaction', reaction, 'call_2')).toMatchObject({
    outcome: 'ok',
    forModel: 'Reacted.',
  });
  const elsewhere = { ...reaction, channelId: 'other' };
  expect(await inTurn('set_channel_reaction', elsewhere, 'call_3')).toMatchObject({
    outcome: 'error',
  });
  expect(actions).toEqual([{ channelId: 'team', ...reaction, remove: false }]);
});

it('read_channel_thread reads the thread of the turn by default, and returns it in an envelope', async () => {
  const { call, inTurn, actions } = await staged();
  const read = await inTurn('read_channel_thread', {});
  expect(read.outcome).toBe('ok');
  expect(read.forModel).toMatch(/^<untrusted source="tool read_channel_thread"/);
  expect(read.output).toContain(`[1] ${messageOf(1, '').messageId} 1970-01-01T00:00:00.000Z Bee`);
  expect(read.output).toContain('xxx [cut] [👍 x2]');
  expect(read.output).toContain('There is more: before 2.');
  expect(read.output.length).toBeLessThan(5_000);
  const other = { channelId: 'other', threadRootMessageId: ROOT, after: 7, limit: 3 };
  expect(await call('read_channel_thread', other, 'call_2')).toMatchObject({ outcome: 'ok' });
  for (const [i, input] of [{ limit: 51 }, {}, { channelId: 'other' }].entries()) {
    const refused = await call('read_channel_thread', input, `call_1${String(i)}`);
    expect(refused, JSON.stringify(input)).toMatchObject({ outcome: 'error' });
  }
  expect(actions).toMatchObject([
    { channelId: 'team', messageId: ROOT, limit: 20 },
    { channelId: 'other', messageId: ROOT, after: 7, limit: 3 },
  ]);
});

it('read_channel_asset reads text of the channel of the turn by default, page by page', async () => {
  const { call, inTurn, actions } = await staged();
  const first = await inTurn('read_channel_asset', { assetId: TEXT });
  expect(first.forModel).toMatch(/^<untrusted source="tool read_channel_asset"/);
  expect(first.output).toMatch(/^é{24000}\nThere is more: offset 24000\.$/);
  const rest = { assetId: TEXT, channelId: 'other', offset: 24_000 };
  expect((await call('read_channel_asset', rest, 'call_2')).output).toBe('é'.repeat(6_000));
  const picture = await inTurn('read_channel_asset', { assetId: PICTURE }, 'call_3');
  expect(picture).toMatchObject({
    outcome: 'error',
    output: `${PICTURE} is image/png of 3 bytes: it cannot be shown as text.`,
  });
  expect(await call('read_channel_asset', { assetId: TEXT }, 'call_4')).toMatchObject({
    outcome: 'error',
  });
  expect(actions).toEqual([
    { channelId: 'team', assetId: TEXT },
    { channelId: 'other', assetId: TEXT },
    { channelId: 'team', assetId: PICTURE },
  ]);
});
