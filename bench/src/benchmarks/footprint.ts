import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@stoa/client';
import type { Run } from '@stoa/protocol';
import type { Benchmark } from '../benchmark.js';
import { share } from '../load/share.js';
import { alternate, type Block } from '../measure/alternate.js';
import { figureOf, type Goal } from '../measure/figure.js';
import { startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import { findQwen, startQwen } from '../world/qwen.js';
import type { Scope } from '../world/scope.js';
import { treeMegabytes } from '../world/tree-memory.js';

const FORMS = {
  short: { sessions: 100, rounds: 5, extent: { pairs: 3, seconds: 10, warmUp: 0 } },
  long: { sessions: 1_000, rounds: 30, extent: { pairs: 5, seconds: 200, warmUp: 0 } },
} as const;
type Amounts = (typeof FORMS)['short' | 'long'];

const WORKERS = 10;
/** After the last request, before what it left is taken for what stays. */
const REST_MS = 1_000;
const SAMPLE_MS = 50;
const POLL_MS = 20;

const AGENT = 'worker';

/** Megabytes of a daemon and its children: doing nothing, holding idle sessions, with sessions at work. */
interface Footprints {
  readonly idle: number;
  readonly sessions: number;
  readonly working: number;
}

export const footprint: Benchmark = {
  description: 'memory of a daemon: idle, with idle sessions, at work ÷ one qwen --acp',
  async run(form, scope) {
    const amounts = FORMS[form];
    const qwen = await findQwen();
    const pairs = await alternate(
      footprintsOf(scope, amounts),
      footprintOf(scope, qwen),
      amounts.extent,
    );
    const parts: [keyof Footprints, part: string, Goal][] = [
      ['idle', 'idle daemon', '<=0.5'],
      ['sessions', `${amounts.sessions} idle sessions`, '<=1'],
      ['working', `${WORKERS} sessions at work, peak`, '<=1'],
    ];
    return parts.map(([key, part, goal]) =>
      figureOf(
        { bench: 'footprint', part, unit: 'MB', goal },
        pairs.map(({ ours, peer }) => ({ ours: ours[key], peer: peer[key] })),
      ),
    );
  },
};

/** New processes for every block: memory that a process has taken it seldom gives back. */
function footprintsOf(scope: Scope, { sessions, rounds }: Amounts): Block<Footprints> {
  return () =>
    scope.within(async (inner) => {
      const fresh = await startDaemon(inner, openDirectory(inner));
      await delay(REST_MS);
      const idle = treeMegabytes(fresh.child.pid);
      await putAgent(fresh.client, rounds);
      const working = await peakWhile(fresh.child.pid, runAll(inner, fresh.client, WORKERS, 'Go'));
      await fresh.child.end();

      const { child, client } = await startDaemon(inner, openDirectory(inner));
      await putAgent(client, rounds);
      await runAll(inner, client, sessions, 'Hello');
      await delay(REST_MS);
      return { idle, working, sessions: treeMegabytes(child.pid) };
    });
}

function footprintOf(scope: Scope, command: readonly string[]): Block<Footprints> {
  return () =>
    scope.within(async (inner) => {
      const pid = await startQwen(inner, command);
      await delay(REST_MS);
      const megabytes = treeMegabytes(pid);
      return { idle: megabytes, sessions: megabytes, working: megabytes };
    });
}

/** It posts one text; after a start signal it writes a file, reads it and runs a command, repeatedly. */
async function putAgent(client: Client, rounds: number): Promise<void> {
  const path = 'notes-$' + '{round}.txt';
  const call = [
    { tool: 'write_file', input: { path, content: 'stoa '.repeat(1_000) } },
    { tool: 'read_file', input: { path } },
    { tool: 'shell', input: { command: 'cat notes-*.txt | wc -c' } },
  ];
  const script = {
    turns: [
      { when: { contains: 'Go' }, steps: [{ repeat: { times: rounds, steps: [{ call }] } }] },
    ],
    otherwise: [{ say: 'Here I am.' }],
  };
  await client.agents.put(AGENT, {
    driver: { kind: 'script', script: JSON.stringify(script) },
    mode: 'full',
  });
}

/** So many sessions, each of which is asked once; resolves when all of them are idle again. */
async function runAll(scope: Scope, client: Client, count: number, text: string): Promise<void> {
  const workspaces = Array.from({ length: WORKERS }, () => openDirectory(scope));
  await share(WORKERS, count / WORKERS, async (worker) => {
    const workspace = workspaces[worker] as string;
    const { sessionId } = await client.sessions.create({ agentId: AGENT, workspace });
    const { runId } = await client.sessions.submit(sessionId, text);
    let run: Run;
    do {
      await delay(POLL_MS);
      run = await client.runs.get(runId);
    } while (run.endedAt === undefined);
    if (run.status !== 'completed') throw new Error(`${runId}: ${JSON.stringify(run.failure)}`);
  });
}

async function peakWhile(pid: number, work: Promise<void>): Promise<number> {
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, treeMegabytes(pid));
  }, SAMPLE_MS);
  try {
    await work;
  } finally {
    clearInterval(sampling);
  }
  return peak;
}
