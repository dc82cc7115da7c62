import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Principal, Run } from '@stoa/protocol';
import { OWNER, outputOf, processesWith, sendSignal, until } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { type AcpStageOptions, openStage } from './acp-stage.fixture.js';
import { GUARD } from './spawn-program.js';

interface Options extends AcpStageOptions {
  /** Records the waits before restarts, which take no time. The clock advances only with them. */
  readonly waits?: number[];
}

function open({ limits, waits, ...options }: Options = {}) {
  let time = 0;
  return openStage({
    limits: { settleMs: 300, pingMs: 1_000, backoffMs: [1, 2, 3, 4], ...limits },
    ports: ({ timers }) =>
      waits
        ? {
            now: () => time,
            timers: {
              after(milliseconds, callback) {
                if (!BACKOFF_MS.includes(milliseconds)) return timers.after(milliseconds, callback);
                waits.push(milliseconds);
                time += milliseconds;
                return timers.after(0, callback);
              },
            },
          }
        : {},
    ...options,
  });
}

const BACKOFF_MS = [1_000, 5_000, 15_000, 60_000];
/** Differ from the waits before restarts. */
const OTHER_MS = { startMs: 59_000, sessionMs: 59_000, silenceMs: 599_000, pingMs: 999 };

const failed = ({ status, failure }: Run) => ({ status, code: failure?.code });

describe('a program that fails', () => {
  it.each([
    ['exits', '!say so far\n!exit 7', 'acp_exited', 'exit status 7'],
    ['prints garbage', '!garbage 100', 'acp_protocol_error', 'garbage'],
    ['floods', '!flood', 'acp_flood', 'at once'],
    ['writes an endless line', '!long 3000000', 'acp_flood', 'more than 2000000 bytes'],
    ['sends an invalid answer', '!malformed', 'acp_protocol_error', 'stopReason'],
    ['is silent', '!wait', 'acp_timeout', 'sent nothing'],
  ])(
    'R-29 %s: the run fails with the cause, and another session continues',
    async (_, prompt, code, message) => {
      const stage = await open({
        limits: {
          silenceMs: prompt === '!wait' ? 500 : 60_000,
          stream: { lineBytes: 2_000_000, messagesPerWindow: 2_000, windowMs: 60_000 },
        },
      });
      const other = await stage.session();
      expect(outputOf(await other.ask('!say first'))).toBe('first');
      const session = await stage.session();
      const run = await session.ask(prompt);
      expect(failed(run)).toEqual({ status: 'failed', code });
      expect(run.failure?.message).toContain(message);
      expect(outputOf(await other.ask('!say second'))).toBe('second');
      expect(outputOf(await session.ask('!say again'))).toBe('again');
    },
  );

  it('R-29 keeps its text so far in the journal, and its stderr in the cause', async () => {
    const stage = await open();
    const session = await stage.session();
    const run = await session.ask('!say so far\n!exit 7');
    expect(run.failure?.message).toContain('the fake agent gives up');
    const [message] = await session.all('model_message');
    expect(message?.data).toMatchObject({
      finishReason: 'error',
      parts: [{ type: 'text', text: 'so far' }],
    });
  });

  it('R-29 gets answers to unknown methods, and the turn continues', async () => {
    const stage = await open();
    const session = await stage.session();
    expect(outputOf(await session.ask('!unknown\n!say done'))).toBe('done');
    const answers = stage.received.filter(({ type }) => type === 'answer');
    expect(answers.map(({ answer }) => (answer as { error: { code: number } }).error.code)).toEqual(
      [-32601, -32601, -32601],
    );
  });

  it.each([
    ['exit', 'acp_exited'],
    ['hang', 'acp_timeout'],
  ] as const)('R-29 does not start (%s): the run fails with the cause', async (start, code) => {
    const stage = await open({ agent: { start }, limits: { startMs: 1_500 } });
    const run = await (await stage.session()).ask('hello');
    expect(run.failure).toMatchObject({ phase: 'start', code });
  });

  it('may print a greeting to stdout', async () => {
    const stage = await open({ agent: { start: 'noise' } });
    expect(outputOf(await (await stage.session()).ask('!say hello'))).toBe('hello');
  });

  it('R-29 is restarted after 1, 5, 15 and 60 seconds, then every 60, until a prompt succeeds', async () => {
    const waits: number[] = [];
    const stage = await open({ waits, limits: { backoffMs: BACKOFF_MS, ...OTHER_MS } });
    const session = await stage.session();
    // Each prompt is retried once.
    for (let crash = 0; crash < 3; crash++) await session.ask('!exit 1');
    expect(waits).toEqual([1_000, 5_000, 15_000, 60_000, 60_000]);
    await session.ask('!say well');
    await session.ask('!exit 1');
    await session.ask('!say well');
    expect(waits.slice(5)).toEqual([60_000, 1_000, 5_000]);
  });

  it.each([true, false])(
    'R-29 leaves no running process, not even one outside its group (sandbox: %s)',
    async (hasSandbox) => {
      const stage = await open({ hasSandbox, agent: { ignoresTerm: true } });
      const session = await stage.session();
      await session.ask('!child\n!say hello');
      expect(stage.processes.length).toBeGreaterThan(1);
      expect(failed(await session.ask('!exit 1')).code).toBe('acp_exited');
      await until('no process runs', () => stage.processes.length === 0);
      await session.ask('!child\n!say hello');
      expect(stage.processes.length).toBeGreaterThan(1);
      await stage.driver.close();
      expect(stage.processes).toEqual([]);
    },
  );

  it('R-29 dies with the daemon, even if the daemon is killed after a SIGTERM', async () => {
    const mark = `guarded-${String(process.pid)}-${String(Date.now())}`;
    const program = ['/bin/sh', '-c', "trap '' TERM; sleep 600; sleep 600"];
    const parent = `
      const { spawn } = require('node:child_process');
      spawn('/bin/sh', ${JSON.stringify(['-c', GUARD, 'stoa', ...program])},
        { detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
      setInterval(() => {}, 1000);`;
    const env = { ...process.env, GUARD_MARK: mark };
    const daemon = spawn(process.execPath, ['-e', parent], { env, stdio: 'ignore' });
    await until('the program runs', () => processesWith(mark).length >= 5);
    for (const pid of processesWith(mark)) if (pid !== daemon.pid) sendSignal(pid, 'SIGTERM');
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    await until('no process runs', () => processesWith(mark).length === 0);
  });

  it('may be silent during a call if it answers pings', async () => {
    const stage = await open({ limits: { silenceMs: 50 } });
    const session = await stage.session();
    const { runId } = await session.submit('!begin a execute {"command":"make"}\n!wait');
    const pings = () => stage.received.filter(({ type }) => type === 'unknown').length;
    await until('it got some pings', () => pings() >= 3);
    const run = await stage.daemon.core.runs.get(OWNER, runId);
    expect(run.status).toBe('running');
  });

  it('does not delay the end of the daemon while it starts', async () => {
    const stage = await open({ agent: { start: 'hang' } });
    const session = await stage.session();
    await session.submit('hello');
    await until('it is starting', () => stage.processes.length > 0);
    await stage.daemon.core.runner.stop();
    await stage.driver.close();
    expect(stage.processes).toEqual([]);
  });

  it('ends after a while without use, and starts again with the next use', async () => {
    const stage = await open({ keepsSessions: true, limits: { idleMs: 100 } });
    const session = await stage.session();
    await session.ask('!say one');
    await until('it has ended', () => stage.processes.length === 0);
    expect(outputOf(await session.ask('!say two'))).toBe('two');
    expect(stage.received.map(({ type }) => type)).toEqual(['new', 'prompt', 'load', 'prompt']);
  });
});

describe('a cancelled prompt', () => {
  it('R-4 ends in the program, which keeps its session', async () => {
    const stage = await open({ limits: { settleMs: 10_000 } });
    const session = await stage.session();
    const { runId } = await session.submit('!say begun\n!wait');
    await until('it is running', async () => (await session.all('delivered')).length === 1);
    await stage.daemon.core.runs.cancel(OWNER, runId);
    expect((await session.ended(runId)).status).toBe('cancelled');
    expect(outputOf(await session.ask('!say next'))).toBe('next');
    expect(stage.received.map(({ type }) => type)).toEqual(['new', 'prompt', 'cancel', 'prompt']);
    expect((await session.types()).at(-1)).toBe('completed');
  });

  it('R-30 R-32 costs only its own session if it hangs: the other session answers, and a new one begins', async () => {
    const stage = await open();
    const other = await stage.session();
    await other.ask('!say before');
    const session = await stage.session();
    await session.ask('!say my number is 42');
    const { runId } = await session.submit('!hang');
    await until('it hangs', () => stage.prompts.length === 3);
    expect(outputOf(await other.ask('!say meanwhile'))).toBe('meanwhile');
    const before = stage.processes;
    await stage.daemon.core.runs.cancel(OWNER, runId);
    expect((await session.ended(runId)).status).toBe('cancelled');
    expect(outputOf(await session.ask('!say new'))).toBe('new');
    expect(outputOf(await other.ask('!say after'))).toBe('after');
    expect(stage.processes).toEqual(before);
    const notes = await session.all('note');
    expect(notes.map(({ data }) => data.code)).toEqual(['acp_session', 'reprimed', 'acp_session']);
    const reprimed = stage.prompts.find(
      (prompt) => prompt.includes('my number is 42') && prompt.includes('!say new'),
    );
    expect(reprimed).toContain('<untrusted source="journal of this session"');
    expect(reprimed).toContain('Be brief.');
  });

  it('R-30 ends a program that no longer answers, and the other session recovers', async () => {
    const stage = await open();
    const other = await stage.session();
    await other.ask('!say before');
    const session = await stage.session();
    const { runId } = await session.submit('!deaf');
    await until('it is deaf', () => stage.prompts.length === 2);
    const before = stage.processes;
    await stage.daemon.core.runs.cancel(OWNER, runId);
    await session.ended(runId);
    await until('it was ended', () => stage.processes.every((pid) => !before.includes(pid)));
    expect(outputOf(await other.ask('!say after'))).toBe('after');
  });
});

describe('a restarted daemon', () => {
  it('R-32 R-14 continues the sessions of a program if possible, and repeats nothing', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    await session.ask('!say one');
    await stage.restart();
    const again = session.on(stage.daemon);
    expect(outputOf(await again.ask('!say two'))).toBe('two');
    expect(stage.received.map(({ type }) => type)).toEqual(['new', 'prompt', 'load', 'prompt']);
    expect(stage.prompts[1]).toBe('!say two');
    expect((await again.all('note')).map(({ data }) => data.code)).toEqual(['acp_session']);
  });

  it('R-32 otherwise sends the history to a new session, and notes it', async () => {
    const stage = await open();
    const session = await stage.session();
    await session.ask('!tool a read {"file_path":"x.txt"}\n!say my number is 42');
    await stage.restart();
    const again = session.on(stage.daemon);
    await again.ask('!say two');
    const prompt = stage.prompts[1] ?? '';
    expect(prompt).toContain('my number is 42');
    expect(prompt).toContain('You called read');
    expect(prompt).toContain('Be brief.');
    const reprimed = (await again.all('note')).find(({ data }) => data.code === 'reprimed');
    expect(reprimed?.data.text).toContain('cannot continue one');
    await again.ask('!say three');
    expect(stage.prompts[2]).toBe('!say three');
  });

  it('R-32 sends the history to a program that loads an empty session', async () => {
    const stage = await open({ keepsSessions: true, agent: { isForgetful: true } });
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.restart();
    const again = session.on(stage.daemon);
    await again.ask('!say two');
    expect(stage.prompts[1]).toContain('my number is 42');
    expect((await again.all('note')).map(({ data }) => data.code)).toContain('reprimed');
  });

  it('R-12 resumes an interrupted run, and reports that the outcome of its call is unknown', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    const { runId } = await session.submit('!begin a execute {"command":"x"}\n!wait');
    await until('the call is journaled', async () => (await session.all('tool_call')).length === 1);
    await stage.restart();
    const again = session.on(stage.daemon);
    await until('the prompt was repeated', () => stage.prompts.length === 2);
    expect(stage.prompts[1]).toContain('cut off by a restart');
    expect(stage.prompts[1]).toContain('The outcome of these calls is unknown: execute.');
    await stage.daemon.core.runs.cancel(OWNER, runId);
    await again.ended(runId);
  });

  it('begins a cleared session without history', async () => {
    const stage = await open();
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.daemon.core.sessions.clear(OWNER, session.sessionId);
    await session.ask('!say new');
    expect(stage.prompts[1]).not.toContain('42');
    expect(stage.prompts[1]).toContain('Be brief.');
  });
});

describe('programs of several people', () => {
  it('are shared by the sessions of one person', async () => {
    const stage = await open();
    const first = await stage.session();
    const second = await stage.session();
    await Promise.all([first.ask('!say one'), second.ask('!say two')]);
    const ids = stage.received
      .filter(({ type }) => type === 'new')
      .map(({ id }) => id?.split('-')[1]);
    expect(new Set(ids).size).toBe(1);
  });

  it('are not shared between people', async () => {
    const stage = await open();
    const mine = await stage.session();
    await mine.ask('!say mine');
    const before = stage.processes.length;
    const ada: Principal = {
      kind: 'human',
      id: 'ada',
      owner: false,
      credentialId: 'crd_of_ada',
    };
    const { sessions, inbox } = stage.daemon.core;
    const { sessionId } = await sessions.create(ada, { agentId: 'helper' });
    await inbox.submit(ada, sessionId, { text: '!say hers', rule: 'followup' });
    await until('her prompt has arrived', () => stage.prompts.length === 2);
    expect(stage.processes.length).toBe(2 * before);
  });
});
