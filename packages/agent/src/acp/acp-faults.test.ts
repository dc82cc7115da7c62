import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { decide } from '@stoa/core';
import type { Principal, Run } from '@stoa/protocol';
import {
  AgentFixture,
  type AgentFixtureOptions,
  OWNER,
  outputOf,
  processesWith,
  sendSignal,
  until,
} from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../tools/shell/sandbox.js';
import { AcpDriver, type AcpLimits } from './acp-driver.js';
import { GUARD } from './spawn-program.js';

const stages: AgentFixture[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

interface Options extends Omit<AgentFixtureOptions, 'driver'> {
  readonly limits?: Partial<AcpLimits>;
  readonly hasSandbox?: boolean;
  /** Time stands still but for waits before a program is started again, which are kept here. */
  readonly waits?: number[];
}

async function open({ limits, hasSandbox = true, waits, ...options }: Options = {}) {
  let time = 0;
  const stage = await AgentFixture.open({
    driver: (parts) =>
      new AcpDriver({
        ...parts,
        ...(waits && {
          now: () => time,
          timers: {
            after(milliseconds, callback) {
              if (!BACKOFF_MS.includes(milliseconds)) {
                return parts.timers.after(milliseconds, callback);
              }
              waits.push(milliseconds);
              time += milliseconds;
              return parts.timers.after(0, callback);
            },
          },
        }),
        sandbox: new Sandbox({
          home: parts.home,
          writable: parts.writable,
          ...(hasSandbox ? {} : { bubblewrap: null }),
        }),
        decide,
        limits: { settleMs: 300, pingMs: 1_000, backoffMs: [1, 2, 3, 4], ...limits },
      }),
    ...options,
  });
  stages.push(stage);
  return stage;
}

const BACKOFF_MS = [1_000, 5_000, 15_000, 60_000];
/** So that no other wait is taken for one of those. */
const OTHER_MS = { startMs: 59_000, sessionMs: 59_000, silenceMs: 599_000, pingMs: 999 };

const failed = ({ status, failure }: Run) => ({ status, code: failure?.code });

describe('a program that goes wrong', () => {
  it.each([
    ['exits', '!say so far\n!exit 7', 'acp_exited', 'exit status 7'],
    ['prints garbage', '!garbage 100', 'acp_protocol_error', 'garbage'],
    ['floods', '!flood', 'acp_flood', 'at once'],
    ['writes an endless line', '!long 3000000', 'acp_flood', 'more than 2000000 bytes'],
    ['answers what nobody understands', '!malformed', 'acp_protocol_error', 'stopReason'],
    ['says nothing', '!wait', 'acp_timeout', 'sent nothing'],
  ])(
    'R-29 %s: the run fails with its cause, and another session goes on',
    async (_, prompt, code, words) => {
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
      expect(run.failure?.message).toContain(words);
      expect(outputOf(await other.ask('!say second'))).toBe('second');
      expect(outputOf(await session.ask('!say again'))).toBe('again');
    },
  );

  it('R-29 what it had said before it went stands in the journal, with its stderr in the cause', async () => {
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

  it('R-29 methods and updates that nobody knows are answered, and the turn goes on', async () => {
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
  ] as const)('R-29 does not start (%s): the run fails with its cause', async (start, code) => {
    const stage = await open({ agent: { start }, limits: { startMs: 1_500 } });
    const run = await (await stage.session()).ask('hello');
    expect(run.failure).toMatchObject({ phase: 'start', code });
  });

  it('a greeting on the wrong stream does no harm', async () => {
    const stage = await open({ agent: { start: 'noise' } });
    expect(outputOf(await (await stage.session()).ask('!say hello'))).toBe('hello');
  });

  it('R-29 is started again after 1, 5, 15 and 60 seconds, then every 60, until it does well', async () => {
    const waits: number[] = [];
    const stage = await open({ waits, limits: { backoffMs: BACKOFF_MS, ...OTHER_MS } });
    const session = await stage.session();
    // Each is tried once more.
    for (let crash = 0; crash < 3; crash++) await session.ask('!exit 1');
    expect(waits).toEqual([1_000, 5_000, 15_000, 60_000, 60_000]);
    await session.ask('!say well');
    await session.ask('!exit 1');
    await session.ask('!say well');
    expect(waits.slice(5)).toEqual([60_000, 1_000, 5_000]);
  });

  it.each([true, false])(
    'R-29 leaves no process behind, not even one that left its group (sandbox: %s)',
    async (hasSandbox) => {
      const stage = await open({ hasSandbox, agent: { ignoresTerm: true } });
      const session = await stage.session();
      await session.ask('!child\n!say hello');
      expect(stage.processes.length).toBeGreaterThan(1);
      expect(failed(await session.ask('!exit 1')).code).toBe('acp_exited');
      await until('nothing is left', () => stage.processes.length === 0);
      await session.ask('!child\n!say hello');
      expect(stage.processes.length).toBeGreaterThan(1);
      await stage.driver.close();
      expect(stage.processes).toEqual([]);
    },
  );

  it('R-29 dies with the daemon, however that ends, even where it was asked to before', async () => {
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
    await until('nothing is left', () => processesWith(mark).length === 0);
  });

  it('may take its time for a tool, as long as it answers', async () => {
    const stage = await open({ limits: { silenceMs: 50 } });
    const session = await stage.session();
    const { runId } = await session.submit('!begin a execute {"command":"make"}\n!wait');
    const pings = () => stage.received.filter(({ type }) => type === 'unknown').length;
    await until('it was asked whether it is there', () => pings() >= 3);
    const run = await stage.daemon.core.runs.get(OWNER, runId);
    expect(run.status).toBe('running');
  });

  it('a daemon that stops does not wait for one that is still starting', async () => {
    const stage = await open({ agent: { start: 'hang' } });
    const session = await stage.session();
    await session.submit('hello');
    await until('it is being started', () => stage.processes.length > 0);
    await stage.daemon.core.runner.stop();
    await stage.driver.close();
    expect(stage.processes).toEqual([]);
  });

  it('is ended when nobody has used it for long, and started again when somebody does', async () => {
    const stage = await open({ keepsSessions: true, limits: { idleMs: 100 } });
    const session = await stage.session();
    await session.ask('!say one');
    await until('it is gone', () => stage.processes.length === 0);
    expect(outputOf(await session.ask('!say two'))).toBe('two');
    expect(stage.received.map(({ type }) => type)).toEqual(['new', 'prompt', 'load', 'prompt']);
  });
});

describe('a prompt that is cancelled', () => {
  it('R-4 is ended in the program, which keeps its session', async () => {
    const stage = await open({ limits: { settleMs: 10_000 } });
    const session = await stage.session();
    const { runId } = await session.submit('!say begun\n!wait');
    await until('it is under way', async () => (await session.all('delivered')).length === 1);
    await stage.daemon.core.runs.cancel(OWNER, runId);
    expect((await session.ended(runId)).status).toBe('cancelled');
    expect(outputOf(await session.ask('!say next'))).toBe('next');
    expect(stage.received.map(({ type }) => type)).toEqual(['new', 'prompt', 'cancel', 'prompt']);
    expect((await session.types()).at(-1)).toBe('completed');
  });

  it('R-30 R-32 one that hangs costs its own session only: the other answers, and it begins a new one', async () => {
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

  it('R-30 a program that answers nothing any more is ended, and the other session recovers', async () => {
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

describe('a daemon that is started again', () => {
  it('R-32 R-14 continues the sessions of a program that can, and tells it nothing twice', async () => {
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

  it('R-32 otherwise tells a new session what was before, and says so', async () => {
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

  it('R-32 a program that loads a session and knows nothing of it is told what was before', async () => {
    const stage = await open({ keepsSessions: true, agent: { isForgetful: true } });
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.restart();
    const again = session.on(stage.daemon);
    await again.ask('!say two');
    expect(stage.prompts[1]).toContain('my number is 42');
    expect((await again.all('note')).map(({ data }) => data.code)).toContain('reprimed');
  });

  it('R-12 takes up work that was cut off, and tells the outcome of its call is unknown', async () => {
    const stage = await open({ keepsSessions: true });
    const session = await stage.session();
    const { runId } = await session.submit('!begin a execute {"command":"x"}\n!wait');
    await until('the call is there', async () => (await session.all('tool_call')).length === 1);
    await stage.restart();
    const again = session.on(stage.daemon);
    await until('it is told to go on', () => stage.prompts.length === 2);
    expect(stage.prompts[1]).toContain('cut off by a restart');
    expect(stage.prompts[1]).toContain('The outcome of these calls is unknown: execute.');
    await stage.daemon.core.runs.cancel(OWNER, runId);
    await again.ended(runId);
  });

  it('a session that was cleared begins anew and knows nothing', async () => {
    const stage = await open();
    const session = await stage.session();
    await session.ask('!say my number is 42');
    await stage.daemon.core.sessions.clear(OWNER, session.sessionId);
    await session.ask('!say new');
    expect(stage.prompts[1]).not.toContain('42');
    expect(stage.prompts[1]).toContain('Be brief.');
  });
});

describe('where several people have agents', () => {
  it('sessions of one person share a program', async () => {
    const stage = await open();
    const first = await stage.session();
    const second = await stage.session();
    await Promise.all([first.ask('!say one'), second.ask('!say two')]);
    const ids = stage.received
      .filter(({ type }) => type === 'new')
      .map(({ id }) => id?.split('-')[1]);
    expect(new Set(ids).size).toBe(1);
  });

  it('another person has another', async () => {
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
    await until('hers was asked', () => stage.prompts.length === 2);
    expect(stage.processes.length).toBe(2 * before);
  });
});
