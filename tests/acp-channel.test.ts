import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '@stoa/protocol';
import { askSession, FakeModel, sendSignal, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProgramFixture, published, sessionOf } from './program-fixture.js';
import { ownerOf } from './stoa-command.js';
import type { TestChannel } from './test-channel.js';

/** Agents that are programs, in a channel of the real daemon. */
describe('an agent program in a channel', { timeout: 60_000 }, () => {
  let stage: ProgramFixture;
  let model: FakeModel;

  beforeAll(async () => {
    model = await FakeModel.start({ key: 'sk-right' });
    stage = await ProgramFixture.open({
      config: [
        'modelRetries: { attempts: 1 }',
        'providers:',
        `  open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-right }`,
        `  locked: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-wrong }`,
        '  keyless: { kind: anthropic, apiKeyEnv: KEY_THAT_IS_NOT_SET }',
      ].join('\n'),
    });
  });
  afterAll(async () => {
    await stage.close();
    await model.close();
  });

  const privately = (sessionId: string, text: string) => askSession(stage.owner, sessionId, text);

  it('AC-2 private text is never published, even if the program repeats it late', async () => {
    const testChannel = await stage.openChannel('late');
    const store = join(stage.directory, 'late.json');
    const member = await testChannel.invite(
      'late',
      stage.program('late', { store, replay: 'late' }),
    );
    const root = await testChannel.post('@late\n!say hello');
    await testChannel.closed(root.messageId);
    const secret = await privately(sessionOf(member), '!say the salary is 4711');
    expect(JSON.stringify(secret.output)).toContain('4711');
    const before = stage.processes('late');
    expect(before.length).toBeGreaterThan(0);
    for (const pid of before) if (stage.processes('late').includes(pid)) sendSignal(pid, 'SIGKILL');
    await until('it is gone', () => stage.processes('late').every((pid) => !before.includes(pid)));
    const next = await testChannel.post('@late\n!say I begin.\n!pause 1000\n!say And I end.');
    await testChannel.closed(next.messageId);
    expect(await testChannel.read()).toEqual([
      'owner: @late\n!say hello',
      'late: hello',
      'owner: @late\n!say I begin.\n!pause 1000\n!say And I end.',
      'late: I begin.And I end.',
    ]);
  });

  it('AC-13 learns how to answer, to react and to pass, and text after pass_turn is not published', async () => {
    const testChannel = await stage.openChannel('reacting');
    await testChannel.invite('reacting', stage.program('reacting'));
    const root = await testChannel.post(
      [
        '@reacting',
        '!mcp set_channel_reaction {"messageId":"%m","emoji":"👍"}',
        '!mcp pass_turn {}',
        '!say I insist on a word.',
      ].join('\n'),
    );
    await testChannel.closed(root.messageId);
    expect(await testChannel.outcomes()).toEqual([['reacting', 'reacted']]);
    const [message, ...more] = await testChannel.messages();
    expect(message?.reactions).toMatchObject([{ emoji: '👍', count: 1 }]);
    expect(more).toEqual([]);
    const [prompt] = stage.prompts('reacting');
    expect(prompt).toContain(
      'What you write last, after your last call, is published in the channel as your answer',
    );
    expect(prompt).toContain('An answer given with emit_output replaces it.');
    expect(prompt).toContain(
      'To react without an answer, call set_channel_reaction and then pass_turn;',
    );
    expect(prompt).toContain('if an answer would not help, call only pass_turn.');
    expect(prompt).toContain('tools of the MCP server whose name begins with "stoa"');
    const passed = await testChannel.post(
      '@reacting\n!mcp pass_turn {}\n!say I have nothing to say.',
    );
    await testChannel.closed(passed.messageId);
    expect(await testChannel.outcomes(passed.messageId)).toEqual([['reacting', 'abstained']]);
    expect(await published(testChannel)).toEqual([]);
    const answered = await testChannel.post(
      '@reacting\n!mcp emit_output {"content":"With the tool."}\n!say And without it.',
    );
    await testChannel.closed(answered.messageId);
    const written = await testChannel.post('@reacting\n!say With words.');
    await testChannel.closed(written.messageId);
    expect(await published(testChannel)).toEqual([
      'reacting: With the tool.',
      'reacting: With words.',
    ]);
  });

  it('AC-21 stoa session refresh closes a session in its old program, which ends with its last session', async () => {
    const stoa = ownerOf(stage.daemon);
    const channels = [
      await stage.openChannel('refreshed-1'),
      await stage.openChannel('refreshed-2'),
    ] as const;
    const store = join(stage.directory, 'refreshed.json');
    const driver = stage.program('refreshed', { store, closes: true });
    const sessions = [
      sessionOf(await channels[0].invite('refreshed', driver)),
      sessionOf(await channels[1].invite('refreshed', driver)),
    ] as const;
    const say = async (testChannel: TestChannel, text: string): Promise<void> => {
      const { messageId } = await testChannel.post(`@refreshed\n!say ${text}`);
      await testChannel.closed(messageId);
      expect((await testChannel.read()).at(-1)).toBe(`refreshed: ${text}`);
    };
    const living = (): number[] => stage.processes('refreshed');
    const log = (): string[] =>
      stage.logOf('refreshed').map(({ type, id = '' }) => `${type} ${id.split('-').at(-1) ?? ''}`);
    for (const testChannel of channels) await say(testChannel, 'before');
    const old = living();
    expect(await stoa(['session', 'refresh', sessions[0]])).toMatchObject({ code: 0 });
    await say(channels[0], 'in the same program');
    expect(log().slice(4)).toEqual(['close 1', 'load 1', 'prompt 1']);
    expect(living()).toEqual(old);
    expect(old.length).toBeGreaterThan(0);
    const changed = { ...driver, env: { ...driver.env, CHANGED: 'yes' } };
    await stage.owner.put('/v1/agents/refreshed', { driver: changed });

    expect(await stoa(['session', 'refresh', sessions[0]])).toMatchObject({ code: 0 });
    await say(channels[0], 'after');
    expect(living()).toEqual(expect.arrayContaining(old));
    expect(await stoa(['session', 'refresh', sessions[1]])).toMatchObject({ code: 0 });
    await say(channels[1], 'after');
    await until('the old program is gone', () => living().every((pid) => !old.includes(pid)));
    expect(log().slice(7)).toEqual([
      ...['close 1', 'load 1', 'prompt 1', 'close 2', 'load 2', 'prompt 2'],
    ]);
  });

  it('AC-20 a missing program and a changed definition are reported with the command that fixes them', async () => {
    const stoa = ownerOf(stage.daemon);
    const mend = 'npm install -g @qwen-code/qwen-code';
    const put = await stoa(['agent', 'put', 'ghost', '--acp', 'qwen']);
    expect(put).toMatchObject({ code: 0 });
    expect(put.out.replace(/\s+/g, ' ')).toContain(
      `There is no program qwen to start. Mend it with: ${mend}`,
    );
    const testChannel = await stage.openChannel('ghosts');
    const tail = await stage.watch(testChannel);
    const invited = await stoa([
      'channel',
      'invite',
      'ghosts',
      'ghost',
      '--workspace',
      stage.directory,
    ]);
    expect(invited.err).toContain(
      `cannot work yet: There is no program qwen to start. Mend it with: ${mend}`,
    );
    const failure = async (messageId: string): Promise<string> => {
      await testChannel.closed(messageId);
      const [sessionId = ''] = /ses_\w+/.exec(invited.out) ?? [];
      const { runs } = (await stage.owner.get<{ runs: Run[] }>(`/v1/sessions/${sessionId}/runs`))
        .json;
      return runs[0]?.failure?.message ?? '';
    };
    const first = await testChannel.post('@ghost hello');
    expect(await failure(first.messageId)).toContain(mend);
    const [ended] = (await testChannel.decisions(first.messageId)).flatMap(
      (decision) => decision.ended,
    );
    expect(ended?.detail).toContain(`Mend it with: ${mend}`);
    const line = await tail.line('ghost failed: program not found');
    expect(line).toContain(`There is no program qwen to start. Mend it with: ${mend}`);
    const why = await stoa(['why', first.messageId]);
    expect(why.out).toMatch(/ghost failed: program not found/);
    expect(why.out.replace(/\s+/g, ' ')).toContain(`Mend it with: ${mend}`);

    const file = join(stage.directory, 'ghost.md');
    const driver = JSON.stringify(stage.program('ghost'));
    writeFileSync(file, `---\ndriver: ${driver}\n---\nBe brief.\n`);
    const mended = await stoa(['agent', 'put', 'ghost', file]);
    const [refresh = '', sessionId = ''] = /stoa session refresh (ses_\w+)/.exec(mended.err) ?? [];
    expect(mended.err).toContain(`the definition changed; update the sessions: ${refresh}`);
    const second = await testChannel.post('@ghost hello again');
    const old = await failure(second.messageId);
    expect(old).toMatch(
      /^Definition changed: refresh the session of ghost \(stoa session refresh\)\./,
    );
    expect(old).not.toContain('ses_');
    expect((await stoa(['why', second.messageId])).out).toContain(
      `ghost: definition changed: ${refresh}`,
    );
    expect(await stoa(['session', 'refresh', sessionId])).toMatchObject({ code: 0 });
    const third = await testChannel.post('@ghost\n!say here I am');
    await testChannel.closed(third.messageId);
    expect((await testChannel.read()).at(-1)).toBe('ghost: here I am');
  });

  it('AC-20 a wrong model and a missing key are reported in the thread, in why and in tail, and at the next put and invite', async () => {
    const stoa = ownerOf(stage.daemon);
    const testChannel = await stage.openChannel('mending');
    const put = 'stoa agent put AGENT FILE';
    const cases = [
      {
        agentId: 'unknown-model',
        driver: {
          ...stage.program('unknown-model', { models: ['small', 'large'] }),
          model: 'huge',
        },
        words: 'wrong model. ',
        mend: `has no model huge. Name another as driver.model: ${put}; there are: small, large`,
      },
      {
        agentId: 'logged-out',
        driver: stage.program('logged-out', { login: true }),
        words: 'not logged in. ',
        mend: `Authentication required. Log in with the program itself, or give it a key in driver.env: ${put}`,
      },
      {
        agentId: 'keyless',
        driver: { kind: 'builtin', provider: 'keyless', model: 'm' },
        words: 'no model or no key. ',
        mend: 'variable KEY_THAT_IS_NOT_SET is not set. Set it and start the daemon again: KEY_THAT_IS_NOT_SET=KEY stoa serve',
      },
      {
        agentId: 'locked',
        driver: { kind: 'builtin', provider: 'locked', model: 'm' },
        words: 'key refused. locked/m refuses the key (401): ',
        mend: 'start the daemon again: stoa serve',
      },
      {
        agentId: 'misnamed',
        driver: { kind: 'builtin', provider: 'open', model: 'nothing' },
        words: 'wrong model. open/nothing is not there (404): ',
        mend: `Name another as driver.model: ${put}`,
      },
    ];
    const tail = await stage.watch(testChannel);
    for (const { agentId, driver, words, mend } of cases) {
      await testChannel.invite(agentId, driver);
      if (agentId === 'misnamed') model.script([{ kind: 'refusal', reason: 'not_found' }]);
      const { messageId } = await testChannel.post(`@${agentId} hello`);
      await testChannel.closed(messageId);
      const [ended] = (await testChannel.decisions(messageId)).flatMap(
        (decision) => decision.ended,
      );
      expect(ended?.detail).toContain(mend);
      const why = await stoa(['why', messageId]);
      expect(why.out).toContain(`${agentId} failed: ${words}`);
      expect(why.out).toContain(mend);
      expect(await tail.line(`${agentId} failed: ${words}`)).toContain(mend);
      const file = join(stage.directory, `${agentId}.md`);
      writeFileSync(file, `---\ndriver: ${JSON.stringify(driver)}\n---\n`);
      const again = await stoa(['agent', 'put', agentId, file]);
      expect(again.out.replace(/\s+/g, ' ')).toMatch(/ cannot work /);
      expect(again.out.replace(/\s+/g, ' ')).toContain(mend);
      expect(again.err).not.toContain('definition changed');
      const other = `mending-${agentId}`;
      await stage.openChannel(other);
      const invited = await stoa([
        'channel',
        'invite',
        other,
        agentId,
        '--workspace',
        stage.directory,
      ]);
      expect(invited.err).toContain('cannot work yet: ');
      expect(invited.err).toContain(mend);
    }
  });

  it('AC-20 a changed definition is announced once in each channel and wakes nobody', async () => {
    const stoa = ownerOf(stage.daemon);
    const channels = [
      await stage.openChannel('changed-1'),
      await stage.openChannel('changed-2'),
    ] as const;
    const put = (definition: object) =>
      stage.owner.put('/v1/agents/changing', { driver: stage.program('changing'), ...definition });
    const members = [
      await channels[0].invite('changing', stage.program('changing')),
      await channels[1].invite('changing', stage.program('changing')),
    ];
    const [first = '', second = ''] = members.map(sessionOf);
    const { messageId } = await channels[0].post('@changing\n!say hello');
    await channels[0].closed(messageId);
    const notice = (id: string) =>
      `Stoa: Definition changed: refresh changing with: stoa session refresh ${id}`;
    const notices = async (testChannel: TestChannel): Promise<string[]> =>
      (await testChannel.read()).filter((line) => line.startsWith('Stoa: '));

    await put({});
    expect(await notices(channels[0])).toEqual([]);
    await put({ instructions: 'Be brief.' });
    const asked = await channels[1].post('@changing\n!say I still work');
    await channels[1].closed(asked.messageId);
    await put({ instructions: 'Be very brief.' });
    expect(await notices(channels[0])).toEqual([notice(first)]);
    expect(await notices(channels[1])).toEqual([notice(second)]);
    const { out } = await stoa(['tail', 'changed-1']);
    expect(out).toContain(notice(first));
    const line = `changing: definition changed: stoa session refresh ${first}`;
    expect((await stoa(['why', messageId])).out).toContain(line);

    expect(await stoa(['session', 'refresh', first])).toMatchObject({ code: 0 });
    expect((await stoa(['why', messageId])).out).not.toContain('definition changed');
    await put({ instructions: 'Be as you like.' });
    expect(await notices(channels[1])).toEqual([notice(second)]);
    const leases = await Promise.all(channels.map((testChannel) => testChannel.outcomes()));
    expect(leases).toEqual([[['changing', 'spoke']], [['changing', 'spoke']]]);
  });
});
