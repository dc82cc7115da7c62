import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message, StreamFrame } from '@stoa/protocol';
import {
  answerApproval,
  type Caller,
  callerOf,
  EventStream,
  FAKE_AGENT,
  FakeModel,
  gate,
  LiveSocket,
  pendingApproval,
  readAgentLog,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { start } from './stoa-command.js';
import { scripted, TestChannel } from './test-channel.js';

type Drafted = Extract<StreamFrame, { type: 'draft' | 'draft_ended' }>;

describe('how agents speak in a channel', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let model: FakeModel;
  let workspace: string;
  let channelCount = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-speaking-')));
    model = await FakeModel.start({ key: 'sk-speaking' });
    const { openaiUrl } = model;
    daemon = await startDaemon({
      config: [
        'modelRetries: { attempts: 1 }',
        'model: open/fake-model',
        'providers:',
        `  open: { kind: openai, baseUrl: ${openaiUrl}, apiKey: sk-speaking }`,
        `  closed: { kind: openai, baseUrl: ${openaiUrl}, apiKey: sk-another }`,
        '  gone: { kind: openai, baseUrl: http://127.0.0.1:1/v1, apiKey: none }',
      ].join('\n'),
    });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newRoom = (policy: object = {}): Promise<TestChannel> => {
    channelCount += 1;
    return TestChannel.open(owner, {
      channelId: `room-${String(channelCount)}`,
      policy,
      workspace,
    });
  };
  /** A separate agent program that follows its prompts and logs them. */
  const program = (name: string) => {
    const log = join(workspace, `${name}.log`);
    const env = { FAKE_AGENT: JSON.stringify({ log }) };
    const driver = { kind: 'acp', command: [process.execPath, FAKE_AGENT], env };
    return { driver, received: () => readAgentLog(log) };
  };
  const drafts = (frames: readonly StreamFrame[]): Drafted[] =>
    frames.filter((frame): frame is Drafted => /^draft/.test(frame.type));
  const textOf = (frames: readonly Drafted[]): string =>
    frames.reduce(
      (text, frame) => (frame.type === 'draft' ? text.slice(0, frame.offset) + frame.text : text),
      '',
    );

  it('C-67 of a program the last words are published, or what it emitted instead; to pass is to say nothing', async () => {
    const testChannel = await newRoom();
    const { driver } = program('words');
    await testChannel.invite('words', driver);
    for (const [asked, outcome] of [
      ['!say Only words', 'spoke'],
      ['!mcp emit_output {"content":"Emitted"}\n!say chatter', 'spoke'],
      ['!mcp pass_turn {}\n!say I have nothing to say', 'abstained'],
      ['!stop end_turn', 'abstained'],
    ] as const) {
      const { messageId } = await testChannel.post(asked);
      await testChannel.closed(messageId);
      expect(await testChannel.outcomes(messageId), asked).toEqual([['words', outcome]]);
    }
    const replies = (await testChannel.read()).filter((line) => line.startsWith('words:'));
    expect(replies).toEqual(['words: Only words', 'words: Emitted']);
  });

  it('C-22 what a session posts outside a turn is stored as its own, over HTTP and MCP, and wakes nobody', async () => {
    const testChannel = await newRoom();
    const { driver, received } = program('poster');
    const poster = await testChannel.invite('poster', driver);
    await testChannel.invite(
      'listener',
      scripted('otherwise: [{ emit: "I was woken" }]\nturns: []'),
    );
    const first = await testChannel.post('@poster !stop end_turn');
    await testChannel.closed(first.messageId);
    const { mcpServers } = received().find(({ type }) => type === 'new') as unknown as {
      mcpServers: { headers: { value: string }[] }[];
    };
    const token = mcpServers[0]?.headers[0]?.value.replace('Bearer ', '') ?? '';
    const session = callerOf(daemon.url, token);
    const posted = await session.post<Message>(`${testChannel.path}/messages`, {
      text: '@listener hi',
    });
    expect(posted.status, posted.text).toBe(201);
    const expected = { kind: 'agent', id: poster.actorId, displayName: 'poster' };
    expect(posted.json.author).toEqual(expected);
    const again = await session.post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'post_message',
          arguments: {
            channelId: testChannel.topic.slice('channel:'.length),
            text: '@listener you?',
          },
        },
      },
      { headers: { accept: 'application/json, text/event-stream' } },
    );
    expect(again.text).toContain('Posted as msg_');
    expect((await testChannel.messages()).slice(1).map(({ author }) => author)).toEqual([
      expected,
      expected,
    ]);
    for (const { messageId } of (await testChannel.messages()).slice(1)) {
      expect(await testChannel.decisions(messageId)).toEqual([]);
    }
    expect(await testChannel.outcomes()).toEqual([['poster', 'abstained']]);
    const other = await newRoom();
    const refused = await session.post(`${other.path}/messages`, { text: 'hi' });
    expect(refused.json).toMatchObject({ status: 403, code: 'not_member' });
    const claimed = { text: 'hi', sender: 'human:owner' };
    const forged = await session.post(`${testChannel.path}/messages`, claimed);
    expect(forged.json).toMatchObject({ status: 403, code: 'identity_mismatch' });
  });

  it('C-20 a program that cannot be started and models that cannot be had are passed over, with the reason', async () => {
    const testChannel = await newRoom({ maxStartedRunsPerHumanMessage: 5 });
    await testChannel.invite('broken', { kind: 'acp', command: ['/nonexistent/agent'] });
    await testChannel.invite('closed', {
      kind: 'builtin',
      provider: 'closed',
      model: 'fake-model',
    });
    await testChannel.invite('gone', { kind: 'builtin', provider: 'gone', model: 'fake-model' });
    await testChannel.invite('sound', scripted('otherwise: [{ emit: "I can" }]\nturns: []'));
    const addressedMemberIds = ['broken', 'closed', 'gone', 'sound'];
    const { messageId } = await testChannel.post('Who can?', { addressedMemberIds });
    expect(await testChannel.closed(messageId)).toBe('answered');
    expect(await testChannel.read()).toEqual(['owner: Who can?', 'sound: I can']);
    const ended = (await testChannel.decisions(messageId)).flatMap((decision) => decision.ended);
    expect(ended.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', 'acp_not_found'],
      ['failed', 'model_unauthorized'],
      ['failed', 'model_unavailable'],
      ['spoke', undefined],
    ]);
  });

  it('C-12 C-13 a reaction of an agent is its own and counts once; a turn with nothing else has reacted', async () => {
    const testChannel = await newRoom();
    const agree = await testChannel.invite('agree', { kind: 'builtin' });
    model.script([
      (request) => {
        const messageId = /\[(msg_[0-9a-z]{26})\]/.exec(request.text)?.[1] ?? '';
        const react = toolCall('set_channel_reaction', { messageId, emoji: '👍' });
        return useTools([react, react, toolCall('read_channel_thread', {})]);
      },
      say(''),
    ]);
    const { messageId } = await testChannel.post('Shall we? @agree');
    expect(await testChannel.closed(messageId)).toBe('silent');
    expect(await testChannel.outcomes()).toEqual([['agree', 'reacted']]);
    const [root, ...more] = await testChannel.messages();
    expect(more).toEqual([]);
    expect(root?.reactions).toEqual([{ emoji: '👍', count: 1, actorIds: [agree.actorId] }]);
    const results = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
    expect(results.slice(0, 2)).toEqual(['Reacted.', 'Reacted.']);
    expect(results[2]).toMatch(/^<untrusted source="tool read_channel_thread"[^]*👍 x1/);
  });

  it('C-68 a draft is visible while a model writes, also to late subscribers, and becomes the message', async () => {
    const testChannel = await newRoom();
    await testChannel.invite('writer', { kind: 'builtin' });
    const hold = gate();
    const content = 'A good answer takes its time. '.repeat(80);
    model.script([
      useTools([toolCall('emit_output', { content })], {
        text: 'Between us: I would rather not. '.repeat(10),
        chunkSize: 8,
        gate: hold,
      }),
      say('That is done.'),
    ]);
    const early = await LiveSocket.open(daemon.url, { token: daemon.token });
    await early.subscribe(testChannel.topic);
    const { messageId } = await testChannel.post('@writer well?');
    await until('something of it is seen', () => {
      hold.release();
      return textOf(drafts(early.frames)).startsWith('A good');
    });
    const late = await LiveSocket.open(daemon.url, { token: daemon.token });
    await late.subscribe(testChannel.topic);
    const stream = await EventStream.open(daemon.url, `topic=${testChannel.topic}`, {
      token: daemon.token,
    });
    await until('who came late has it too', () => drafts(late.frames).length > 0);
    const [first] = drafts(late.frames);
    expect(first).toMatchObject({ type: 'draft', offset: 0, displayName: 'writer' });
    expect(content.startsWith(textOf([first as Drafted]))).toBe(true);
    hold.open();
    await testChannel.closed(messageId);
    const message = (await testChannel.messages()).at(-1);
    expect(message?.inputItems).toEqual([{ type: 'text', text: content }]);
    for (const socket of [early, late]) {
      const end = await until('the draft is over', () =>
        drafts(socket.frames).find(({ type }) => type === 'draft_ended'),
      );
      expect(end).toMatchObject({ messageId: message?.messageId });
      // Text before the call is a draft only until the call is written.
      expect(textOf(drafts(socket.frames))).not.toContain('Between');
      const position = socket.frames.findIndex(
        (frame) =>
          frame.type === 'event' &&
          frame.event.type === 'message_posted' &&
          frame.event.data.messageId === message?.messageId,
      );
      expect(socket.frames.indexOf(end)).toBeGreaterThan(position);
      await socket.close();
    }
    await until('it is over there as well', () => stream.framesOf('draft_ended').length > 0);
    expect(textOf(stream.framesOf('draft'))).toBe(
      content.slice(0, textOf(stream.framesOf('draft')).length),
    );
    expect(stream.framesOf('draft').length).toBeGreaterThan(0);
    stream.close();
    const { json } = await owner.get<{ events: { type: string }[] }>(
      `/v1/topics/${testChannel.topic}/events?after=0`,
    );
    expect(json.events.map(({ type }) => type)).not.toContain('draft');
  });

  it('C-68 what people are to approve first is not shown before', async () => {
    const testChannel = await newRoom();
    const permissions = { ask: ['EmitOutput'] };
    const { actorId } = await testChannel.invite('careful', { kind: 'builtin' }, { permissions });
    const sessionId = actorId.slice('session:'.length);
    const socket = await LiveSocket.open(daemon.url, { token: daemon.token });
    await socket.subscribe(testChannel.topic);
    const hold = gate();
    const content = 'May I? '.repeat(80);
    model.script([
      useTools([toolCall('emit_output', { content })], { chunkSize: 4, gate: hold }),
      say('Well.'),
    ]);
    const { messageId } = await testChannel.post('@careful speak');
    await hold.reached();
    // So slowly that a piece of it would have been shown long before the end.
    for (let chunk = 2; chunk < 60; chunk++) {
      hold.release();
      await hold.reached(chunk);
    }
    hold.open();
    await answerApproval(owner, await pendingApproval(owner, sessionId), { decision: 'deny' });
    expect(await testChannel.closed(messageId)).toBe('silent');
    expect(drafts(socket.frames)).toEqual([]);
    await socket.close();
  });

  it('C-68 what a program says is seen while it says it, and is gone when it is stopped', async () => {
    const testChannel = await newRoom();
    const { driver } = program('undecided');
    await testChannel.invite('undecided', driver);
    const socket = await LiveSocket.open(daemon.url, { token: daemon.token });
    await socket.subscribe(testChannel.topic);
    const channelId = testChannel.topic.slice('channel:'.length);
    const command = ['tail', channelId, '--follow', '--json', '--drafts'];
    const tail = start(command, { env: { STOA_HOME: daemon.home } });
    onTestFinished(() => {
      tail.process.kill('SIGKILL');
    });
    const { messageId } = await testChannel.post('!say Perhaps we should\n!wait');
    await until('it is seen', () => textOf(drafts(socket.frames)).includes('Perhaps we should'));
    await until('the command shows it', () => tail.output().out.includes('"type":"draft"'));
    const [decision] = await testChannel.decisions(messageId);
    await owner.post(`/v1/runs/${decision?.granted[0]?.runId ?? ''}/cancel`);
    const over = await until('it is gone', () =>
      drafts(socket.frames).find(({ type }) => type === 'draft_ended'),
    );
    expect(over).not.toHaveProperty('messageId');
    await until('the command says so', () => tail.output().out.includes('"draft_ended"'));
    tail.process.kill('SIGINT');
    expect(await tail.ended).toBe(0);
    expect(tail.output().out).toMatch(/\{"type":"draft",.*"offset":0,"text":"Perhaps/);
    await testChannel.closed(messageId);
    expect(await testChannel.read()).toHaveLength(1);
    await socket.close();
    const hits = await owner.get<{ hits: unknown[] }>('/v1/search?query=Perhaps&limit=10');
    expect(hits.json.hits).toHaveLength(1);
  });

  it('C-60 C-59 the prompt of a turn contains pinned files, and the picture of a message if the model accepts images', async () => {
    const testChannel = await newRoom();
    await testChannel.invite('seer', { kind: 'builtin' });
    const upload = await owner.post<{ assetId: string }>('/v1/assets?name=plan.txt', undefined, {
      raw: 'the plan',
    });
    const { assetId } = upload.json;
    await owner.put(`${testChannel.path}/pins/${assetId}`);
    model.script([useTools([toolCall('emit_output', { content: 'A dot.' })]), say('Done.')]);
    const posted = await owner.post<Message>(`${testChannel.path}/messages`, {
      inputItems: [
        { type: 'text', text: '@seer what is this?' },
        { type: 'inline_asset', name: 'dot.png', data: PICTURE },
      ],
    });
    expect(await testChannel.closed(posted.json.messageId)).toBe('answered');
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    expect(asked).toContain(
      `Pinned here: \\"plan.txt\\" (${assetId}, text/plain; charset=utf-8, 8 bytes)`,
    );
    expect(asked).toContain('[attachment dot.png');
    expect(asked).toContain('data:image/png;base64,');
    expect((await owner.delete(`/v1/assets/${assetId}`)).json).toMatchObject({
      code: 'asset_in_use',
    });
    await owner.delete(`${testChannel.path}/pins/${assetId}`);
    expect((await owner.delete(`/v1/assets/${assetId}`)).status).toBe(204);
  });
});

/** One grey pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
