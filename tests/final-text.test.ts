import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message, Run, StreamFrame } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FakeModel,
  gate,
  LiveSocket,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ownerOf, start } from './stoa-command.js';
import { scripted, TestChannel } from './test-channel.js';

type Drafted = Extract<StreamFrame, { type: 'draft' | 'draft_ended' }>;

const RULE = 'What you write last, after your last call, is published';

describe('the final text of a run with a turn', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let run: ReturnType<typeof ownerOf>;
  let model: FakeModel;
  let workspace: string;
  let channelCount = 0;

  beforeAll(async () => {
    workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-final-text-')));
    model = await FakeModel.start({ key: 'sk-final' });
    daemon = await startDaemon({
      config: [
        'modelRetries: { attempts: 1 }',
        'model: open/fake-model',
        'providers:',
        `  open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-final }`,
      ].join('\n'),
      env: { STOA_LOBBY: 'auto' },
    });
    owner = callerOf(daemon.url, daemon.token);
    run = ownerOf(daemon);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });

  const newRoom = (policy: object = {}): Promise<TestChannel> => {
    channelCount += 1;
    return TestChannel.open(owner, {
      channelId: `final-${String(channelCount)}`,
      workspace,
      policy,
    });
  };
  const replies = async (testChannel: TestChannel): Promise<string[]> =>
    (await testChannel.read()).filter((line) => !line.startsWith('owner:'));
  const why = async (messageId: string): Promise<string> => (await run(['why', messageId])).out;

  it('DU-13 DU-15 what a model writes after its last call is published once; not what it wrote before, nor beside an emitted answer', async () => {
    const testChannel = await newRoom();
    await testChannel.invite('plain', { kind: 'builtin' });
    const look = toolCall('read_channel_thread', {});
    for (const [script, outcome, words] of [
      [[say('An hour.')], 'spoke', 'answered'],
      [[useTools([look], { text: 'Let me look.' }), say('Two hours.')], 'spoke', 'answered'],
      [
        [useTools([toolCall('emit_output', { content: 'Three.' })]), say('I informed them.')],
        'spoke',
        'answered',
      ],
      [
        [useTools([toolCall('pass_turn', {})], { text: 'x'.repeat(412) })],
        'abstained',
        'wrote 412 characters and passed',
      ],
      [[useTools([toolCall('pass_turn', {})])], 'abstained', 'passed: had nothing to say'],
      [[say(' \n ')], 'abstained', 'passed: had nothing to say'],
    ] as const) {
      model.script([...script]);
      const { messageId } = await testChannel.post('@plain how long?');
      await testChannel.closed(messageId);
      expect(await testChannel.outcomes(messageId), words).toEqual([['plain', outcome]]);
      expect(await why(messageId)).toContain(`→ plain ${words}\n`);
    }
    expect(await replies(testChannel)).toEqual([
      'plain: An hour.',
      'plain: Two hours.',
      'plain: Three.',
    ]);
  });

  it('DU-14 what a script says after its last call is published', async () => {
    const testChannel = await newRoom();
    const script = `
turns:
  - steps:
      - say: Let me look.
        call: { tool: read_channel_thread, input: {} }
      - say: It is one.
      - say: And that is all.
  - steps: [{ say: thinking }, { emit: for everybody }, { say: more }]
  - steps: [{ say: hm }, { pass: true }]`;
    await testChannel.invite('speaker', scripted(script));
    for (let i = 0; i < 3; i++)
      await testChannel.closed((await testChannel.post('@speaker and?')).messageId);
    expect(await replies(testChannel)).toEqual([
      'speaker: It is one.\n\nAnd that is all.',
      'speaker: for everybody',
    ]);
    expect((await testChannel.outcomes()).map(([, outcome]) => outcome)).toEqual([
      'spoke',
      'spoke',
      'abstained',
    ]);
  });

  it('DU-16 DU-19 a failed or cancelled run publishes only its emitted output, and the reason is shown', async () => {
    const testChannel = await newRoom();
    await testChannel.invite(
      'weak',
      scripted('otherwise: [{ say: almost }, { fail: { code: lost, message: It is gone } }]'),
    );
    await testChannel.invite(
      'early',
      scripted(
        'otherwise: [{ emit: first }, { say: more }, { fail: { code: lost, message: Gone } }]',
      ),
    );
    await testChannel.invite(
      'slow',
      scripted('otherwise: [{ say: wait for it }, { wait: 600000 }]'),
    );
    await testChannel.invite('modelled', { kind: 'builtin' });
    await testChannel.invite('missing', { kind: 'acp', command: ['/nonexistent/agent'] });
    const tail = start(['tail', testChannel.topic.slice('channel:'.length), '--follow'], {
      env: { STOA_HOME: daemon.home },
    });
    onTestFinished(() => void tail.process.kill('SIGKILL'));
    const weak = await testChannel.post('@weak');
    await until('who watches sees it', () => tail.output().out.includes('@weak'));
    await testChannel.closed(weak.messageId);
    const again = await testChannel.post('@weak again');
    await testChannel.closed(again.messageId);
    expect(await why(weak.messageId)).toContain('→ weak failed: It is gone\n');
    const early = await testChannel.post('@early');
    expect(await testChannel.closed(early.messageId)).toBe('answered');
    const slow = await testChannel.post('@slow');
    const lease = await until(
      'it runs',
      async () => (await testChannel.decisions(slow.messageId))[0]?.granted[0],
    );
    await owner.post(`/v1/runs/${lease.runId}/cancel`);
    await testChannel.closed(slow.messageId);
    expect(await why(slow.messageId)).toContain('→ slow was cancelled');
    model.script([{ kind: 'refusal', reason: 'server_error', status: 500 }]);
    const modelled = await testChannel.post('@modelled');
    await testChannel.closed(modelled.messageId);
    expect(await why(modelled.messageId)).toMatch(/→ modelled failed: .*\b500\b/);
    const missing = await testChannel.post('@missing');
    await testChannel.closed(missing.messageId);
    expect(await why(missing.messageId)).toMatch(/→ missing failed: program not found/);
    expect(await replies(testChannel)).toEqual(['early: first']);
    await until('watchers are informed', () => tail.output().out.includes('missing failed'));
    const { out } = tail.output();
    expect(out).toContain('weak failed: It is gone');
    expect(out).toContain('missing failed: program not found');
    expect(out).not.toContain('nothing to say');
  });

  it('DU-16 a run that loses its lease publishes nothing, neither its text nor what it emitted', async () => {
    const testChannel = await newRoom({ leaseTimeoutMs: 1_500 });
    await testChannel.invite(
      'a-loser',
      scripted('otherwise: [{ emit: for everybody }, { say: almost }, { wait: 600000 }]'),
    );
    await testChannel.invite('b-heir', scripted('otherwise: [{ say: I take over }]'));
    const { messageId } = await testChannel.post('anybody?');
    expect(await testChannel.closed(messageId)).toBe('answered');
    expect(await testChannel.outcomes(messageId)).toEqual([
      ['a-loser', 'superseded'],
      ['b-heir', 'spoke'],
    ]);
    const runId = (await testChannel.decisions(messageId))[0]?.granted[0]?.runId ?? '';
    await until('its run has ended', async () => {
      const { json } = await owner.get<Run>(`/v1/runs/${runId}`);
      return json.status === 'cancelled';
    });
    expect(await replies(testChannel)).toEqual(['b-heir: I take over']);
    expect(await why(messageId)).toContain('→ a-loser was replaced by a waiting agent\n');
  });

  it('DU-19 a text that cannot be published is no abstention', async () => {
    const testChannel = await newRoom();
    const gone = await testChannel.invite('gone', { kind: 'builtin' });
    const hold = gate();
    model.script([say('Too late.', { gate: hold })]);
    const { messageId } = await testChannel.post('@gone?');
    await hold.reached();
    expect((await owner.delete(`${testChannel.path}/members/${gone.memberId}`)).status).toBe(204);
    hold.open();
    await testChannel.closed(messageId);
    expect(await replies(testChannel)).toEqual([]);
    expect(await why(messageId)).toContain(
      'wrote 9 characters that could not be published: it is no longer a member',
    );
  });

  it('DU-17 a final text is a draft while it is written; text before a call, also of pass_turn, is gone when the call is made', async () => {
    const testChannel = await newRoom();
    await testChannel.invite('writer', { kind: 'builtin' });
    const socket = await LiveSocket.open(daemon.url, { token: daemon.token });
    await socket.subscribe(testChannel.topic);
    const drafts = (): Drafted[] =>
      socket.frames.filter((frame): frame is Drafted => /^draft/.test(frame.type));
    const shown = (): string =>
      drafts().reduce(
        (text, frame) => (frame.type === 'draft' ? text.slice(0, frame.offset) + frame.text : ''),
        '',
      );
    const hold = gate();
    const last = gate();
    const answer = 'It takes an hour, as always. '.repeat(20);
    model.script([
      useTools([toolCall('read_channel_thread', {})], {
        text: 'Let me look. '.repeat(40),
        chunkSize: 4,
        gate: hold,
      }),
      say(answer, { chunkSize: 4, gate: last }),
    ]);
    const { messageId } = await testChannel.post('@writer well?');
    await until('the first text is shown', () => {
      hold.release();
      return shown().startsWith('Let me');
    });
    hold.open();
    await last.reached();
    await until('it is gone', () => shown() === '');
    expect(drafts().some(({ type }) => type === 'draft_ended')).toBe(false);
    await until('the last text is shown', () => {
      last.release();
      return shown().startsWith('It takes');
    });
    last.open();
    await testChannel.closed(messageId);
    const message = (await testChannel.messages()).at(-1) as Message;
    expect(message.inputItems).toEqual([{ type: 'text', text: answer }]);
    const end = await until('the draft is over', () =>
      drafts().find(({ type }) => type === 'draft_ended'),
    );
    expect(end).toMatchObject({ messageId: message.messageId });
    const passing = gate();
    model.script([
      useTools([toolCall('pass_turn', {})], {
        text: 'Perhaps an hour. '.repeat(40),
        chunkSize: 4,
        gate: passing,
      }),
    ]);
    const again = await testChannel.post('@writer are you sure?');
    await until('what it writes before it passes is shown', () => {
      passing.release();
      return shown().startsWith('Perhaps');
    });
    passing.open();
    await testChannel.closed(again.messageId);
    await until('it is gone', () => shown() === '');
    expect(drafts().at(-1)).toMatchObject({ type: 'draft_ended' });
    expect(drafts().at(-1)).not.toHaveProperty('messageId');
    expect((await testChannel.messages()).at(-1)?.messageId).toBe(again.messageId);
    await socket.close();
  });

  it('DU-18 a request states once how an answer becomes public, also in the tenth turn', async () => {
    const testChannel = await newRoom();
    await testChannel.invite('informed', { kind: 'builtin' });
    for (let turn = 1; turn <= 10; turn++) {
      model.script([say(`Yes, for the time ${String(turn)}.`)]);
      await testChannel.closed((await testChannel.post('@informed?')).messageId);
      const { text = '', system = '' } = model.requests.at(-1) ?? {};
      expect(text.split(RULE), `in turn ${String(turn)}`).toHaveLength(2);
      expect(system).toContain(RULE);
      expect(text).not.toMatch(/nothing else you write is seen|is your answer\./);
    }
    // The tenth request contains the turns before it.
    expect(model.requests.at(-1)?.text).toContain('Yes, for the time 1.');
    model.script([say('Private.')]);
    expect((await run(['run', 'hello', '--agent', 'informed'], { cwd: workspace })).code).toBe(0);
    expect(model.requests.at(-1)?.system).toContain('is your answer.');
    expect(model.requests.at(-1)?.text).not.toContain(RULE);
  });

  it('an agent whose messages need an approval publishes nothing without one, not even its last text', async () => {
    const testChannel = await newRoom();
    await testChannel.invite(
      'careful',
      { kind: 'builtin' },
      { permissions: { ask: ['EmitOutput'] } },
    );
    model.script([say('Not addressed.')]);
    const { messageId } = await testChannel.post('@careful speak');
    expect(await testChannel.closed(messageId)).toBe('silent');
    expect(await replies(testChannel)).toEqual([]);
    expect(await why(messageId)).toContain('its rules require an approval to speak');
  });

  it('DU-20 a model that calls no tool answers in the lobby once it is invited', async () => {
    model.script([say('Forty-two.')]);
    expect(await run(['channel', 'invite', 'lobby', 'stoa'], { cwd: workspace })).toMatchObject({
      code: 0,
    });
    expect((await run(['send', 'lobby', 'What is six times seven?'])).code).toBe(0);
    const answer = await until('it is answered', async () => {
      const { json } = await owner.get<{ messages: Message[] }>(
        '/v1/channels/lobby/messages?limit=100&after=0',
      );
      return json.messages.find(({ author }) => author.displayName === 'Stoa');
    });
    expect(answer.inputItems).toEqual([{ type: 'text', text: 'Forty-two.' }]);
  });
});
