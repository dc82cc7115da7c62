import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InboxItem, Member, Run } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  FakeModel,
  processesWith,
  readAgentLog,
  sendSignal,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Room } from './room.js';
import { ownerOf, start } from './stoa-command.js';

/** Agents that are programs, in a channel of the real daemon. */
describe('an agent program in a channel', { timeout: 60_000 }, () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let directory: string;
  let model: FakeModel;
  const mark = `acp-channel-${String(process.pid)}`;

  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-acp-channel-')));
    model = await FakeModel.start({ key: 'sk-right' });
    daemon = await startDaemon({
      config: [
        'modelRetries: { attempts: 1 }',
        'providers:',
        `  open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-right }`,
        `  locked: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-wrong }`,
        '  keyless: { kind: anthropic, apiKeyEnv: KEY_THAT_IS_NOT_SET }',
      ].join('\n'),
    });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const program = (name: string, more: object = {}) => ({
    kind: 'acp',
    command: [process.execPath, FAKE_AGENT],
    env: {
      FAKE_AGENT: JSON.stringify({ log: join(directory, `${name}.log`), ...more }),
      TEST_MARK: `${mark}-${name}`,
    },
  });

  const roomFor = (channelId: string): Promise<Room> =>
    Room.open(owner, { channelId, policy: { memberCooldownMs: 0 }, workspace: directory });

  const sessionOf = ({ actorId }: Member): string => actorId.slice('session:'.length);

  async function privately(sessionId: string, text: string): Promise<Run> {
    const { json } = await owner.post<InboxItem>(`/v1/sessions/${sessionId}/inbox`, { text });
    return until('the run ended', async () => {
      const run = (await owner.get<Run>(`/v1/runs/${json.runId}`)).json;
      return ['completed', 'failed', 'cancelled'].includes(run.status) ? run : undefined;
    });
  }

  it('AC-2 what was said in private is never published, though its program repeats it late', async () => {
    const room = await roomFor('late');
    const store = join(directory, 'late.json');
    const member = await room.invite('late', program('late', { store, replay: 'late' }));
    const root = await room.post('@late\n!say hello');
    await room.closed(root.messageId);
    const secret = await privately(sessionOf(member), '!say the salary is 4711');
    expect(JSON.stringify(secret.output)).toContain('4711');
    const before = processesWith(`${mark}-late`);
    expect(before.length).toBeGreaterThan(0);
    for (const pid of before)
      if (processesWith(`${mark}-late`).includes(pid)) sendSignal(pid, 'SIGKILL');
    await until('it is gone', () =>
      processesWith(`${mark}-late`).every((pid) => !before.includes(pid)),
    );
    const next = await room.post('@late\n!say I begin.\n!pause 1000\n!say And I end.');
    await room.closed(next.messageId);
    expect(await room.read()).toEqual([
      'owner: @late\n!say hello',
      'late: hello',
      'owner: @late\n!say I begin.\n!pause 1000\n!say And I end.',
      'late: I begin.And I end.',
    ]);
  });

  it('AC-13 learns how to react, and text after pass_turn is not published', async () => {
    const room = await roomFor('reacting');
    await room.invite('reacting', program('reacting'));
    const root = await room.post(
      [
        '@reacting',
        '!mcp set_channel_reaction {"messageId":"%m","emoji":"👍"}',
        '!mcp pass_turn {}',
        '!say I insist on a word.',
      ].join('\n'),
    );
    await room.closed(root.messageId);
    expect(await room.outcomes()).toEqual([['reacting', 'reacted']]);
    const [message, ...more] = await room.messages();
    expect(message?.reactions).toMatchObject([{ emoji: '👍', count: 1 }]);
    expect(more).toEqual([]);
    const told = readAgentLog(join(directory, 'reacting.log')).find(
      ({ type }) => type === 'prompt',
    );
    const prompt = told?.prompt?.map(({ text = '' }) => text).join('\n') ?? '';
    expect(prompt).toMatch(/set_channel_reaction and then pass_turn[^]*begins with "stoa"/);
  });

  it('AC-8 AC-17 a denial and a killed program are failures that the thread shows', async () => {
    const room = await roomFor('failing');
    const member = await room.invite('failing', program('failing'));
    const call = {
      toolCallId: 'c',
      kind: 'execute',
      title: 'touch x',
      rawInput: { command: 'touch x' },
    };
    const asked = await room.post(`@failing\n!permitted ${JSON.stringify(call)}`);
    const { approvalId } = await until('it asks', async () => {
      const path = `/v1/approvals?sessionId=${sessionOf(member)}&state=pending`;
      return (await owner.get<{ approvals: { approvalId: string }[] }>(path)).json.approvals[0];
    });
    await owner.post(`/v1/approvals/${approvalId}/answer`, {
      decision: 'deny',
      message: 'not now',
    });
    await room.closed(asked.messageId);
    const killed = await room.post('@failing\n!tool a execute {"command":"make"}\n!exit 9');
    await room.closed(killed.messageId);
    expect(await room.outcomes()).toEqual([
      ['failing', 'failed'],
      ['failing', 'failed'],
    ]);
    const reasons = await Promise.all(
      [asked, killed].map(async ({ messageId }) =>
        (await room.decisions(messageId)).flatMap(({ ended }) => ended.map(({ reason }) => reason)),
      ),
    );
    expect(reasons).toEqual([['acp_denied'], ['acp_exited']]);
  });

  it('AC-20 a program that is missing is said with the command that mends it, and so is a definition that changed', async () => {
    const stoa = ownerOf(daemon);
    const mend = 'npm install -g @qwen-code/qwen-code';
    const put = await stoa(['agent', 'put', 'ghost', '--acp', 'qwen']);
    expect(put).toMatchObject({ code: 0 });
    expect(put.out.replace(/\s+/g, ' ')).toContain(
      `There is no program qwen to start. Mend it with: ${mend}`,
    );
    const room = await roomFor('ghosts');
    const invited = await stoa(['channel', 'invite', 'ghosts', 'ghost', '--workspace', directory]);
    expect(invited.err).toContain(
      `cannot work yet: There is no program qwen to start. Mend it with: ${mend}`,
    );
    const failure = async (messageId: string): Promise<string> => {
      await room.closed(messageId);
      const [sessionId = ''] = /ses_\w+/.exec(invited.out) ?? [];
      const { runs } = (await owner.get<{ runs: Run[] }>(`/v1/sessions/${sessionId}/runs`)).json;
      return runs[0]?.failure?.message ?? '';
    };
    const first = await room.post('@ghost hello');
    expect(await failure(first.messageId)).toContain(mend);
    const why = await stoa(['why', first.messageId]);
    expect(why.out).toMatch(/failed.*(?:acp_not_found|program not found)/);

    const file = join(directory, 'ghost.md');
    const driver = JSON.stringify(program('ghost'));
    writeFileSync(file, `---\ndriver: ${driver}\n---\nBe brief.\n`);
    const mended = await stoa(['agent', 'put', 'ghost', file]);
    const [refresh = '', sessionId = ''] = /stoa session refresh (ses_\w+)/.exec(mended.err) ?? [];
    expect(mended.err).toContain(`definition changed: ${refresh}`);
    const second = await room.post('@ghost hello again');
    expect(await failure(second.messageId)).toMatch(new RegExp(`^Definition changed: ${refresh}`));
    expect(await stoa(['session', 'refresh', sessionId])).toMatchObject({ code: 0 });
    const third = await room.post('@ghost\n!say here I am');
    await room.closed(third.messageId);
    expect((await room.read()).at(-1)).toBe('ghost: here I am');
  });

  it('AC-20 a wrong model and a missing key are said in the thread, in why and in tail, and at the next put and invite', async () => {
    const stoa = ownerOf(daemon);
    const room = await roomFor('mending');
    const put = 'stoa agent put AGENT FILE';
    const cases = [
      {
        agentId: 'unknown-model',
        driver: { ...program('unknown-model', { models: ['small', 'large'] }), model: 'huge' },
        words: 'wrong model. ',
        mend: `has no model huge. Name another as driver.model: ${put}; there are: small, large`,
      },
      {
        agentId: 'logged-out',
        driver: program('logged-out', { login: true }),
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
    const tail = start(['tail', 'mending', '--follow'], { env: { STOA_HOME: daemon.home } });
    onTestFinished(() => void tail.process.kill('SIGKILL'));
    await room.post('Nobody is here yet.');
    await until('the channel is watched', () => tail.output().out.includes('Nobody is here'));
    for (const { agentId, driver, words, mend } of cases) {
      await room.invite(agentId, driver);
      if (agentId === 'misnamed') model.script([{ kind: 'refusal', reason: 'not_found' }]);
      const { messageId } = await room.post(`@${agentId} hello`);
      await room.closed(messageId);
      const [ended] = (await room.decisions(messageId)).flatMap((decision) => decision.ended);
      expect(ended?.detail).toContain(mend);
      const why = await stoa(['why', messageId]);
      expect(why.out).toContain(`${agentId} failed: ${words}`);
      expect(why.out).toContain(mend);
      const line = await until('it is told to who watches', () =>
        tail
          .output()
          .out.split('\n')
          .find((told) => told.includes(`${agentId} failed: ${words}`)),
      );
      expect(line).toContain(mend);
      const file = join(directory, `${agentId}.md`);
      writeFileSync(file, `---\ndriver: ${JSON.stringify(driver)}\n---\n`);
      const again = await stoa(['agent', 'put', agentId, file]);
      expect(again.out.replace(/\s+/g, ' ')).toMatch(/ cannot work /);
      expect(again.out.replace(/\s+/g, ' ')).toContain(mend);
      expect(again.err).not.toContain('definition changed');
      const other = `mending-${agentId}`;
      await roomFor(other);
      const invited = await stoa(['channel', 'invite', other, agentId, '--workspace', directory]);
      expect(invited.err).toContain('cannot work yet: ');
      expect(invited.err).toContain(mend);
    }
  });

  it('AC-20 a changed definition is announced once in each channel and wakes nobody', async () => {
    const stoa = ownerOf(daemon);
    const rooms = [await roomFor('changed-1'), await roomFor('changed-2')] as const;
    const put = (definition: object) =>
      owner.put('/v1/agents/changing', { driver: program('changing'), ...definition });
    const members = [
      await rooms[0].invite('changing', program('changing')),
      await rooms[1].invite('changing', program('changing')),
    ];
    const [first = '', second = ''] = members.map(sessionOf);
    const { messageId } = await rooms[0].post('@changing\n!say hello');
    await rooms[0].closed(messageId);
    const notice = (id: string) =>
      `Stoa: Definition changed: refresh changing with: stoa session refresh ${id}`;
    const notices = async (room: Room): Promise<string[]> =>
      (await room.read()).filter((line) => line.startsWith('Stoa: '));

    await put({});
    expect(await notices(rooms[0])).toEqual([]);
    await put({ instructions: 'Be brief.' });
    const asked = await rooms[1].post('@changing\n!say I still work');
    await rooms[1].closed(asked.messageId);
    await put({ instructions: 'Be very brief.' });
    expect(await notices(rooms[0])).toEqual([notice(first)]);
    expect(await notices(rooms[1])).toEqual([notice(second)]);
    const { out } = await stoa(['tail', 'changed-1']);
    expect(out).toContain(notice(first));
    const line = `changing: definition changed: stoa session refresh ${first}`;
    expect((await stoa(['why', messageId])).out).toContain(line);

    expect(await stoa(['session', 'refresh', first])).toMatchObject({ code: 0 });
    expect((await stoa(['why', messageId])).out).not.toContain('definition changed');
    await put({ instructions: 'Be as you like.' });
    expect(await notices(rooms[1])).toEqual([notice(second)]);
    const leases = await Promise.all(rooms.map((room) => room.outcomes()));
    expect(leases).toEqual([[['changing', 'spoke']], [['changing', 'spoke']]]);
  });
});
