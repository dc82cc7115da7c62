import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InboxItem, Session, Task } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  processesWith,
  SeededRandom,
  sendSignal,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** `npm run campaign:tasks` does it 500 times, with 20 kills. */
const SHELLS = Number(process.env['STOA_CAMPAIGN_SHELLS'] ?? 40);
const KILLS = Number(process.env['STOA_CAMPAIGN_KILLS'] ?? 3);
/** In the campaign some are killed by somebody else, with all of their group. */
const OUTSIDE = SHELLS > 100 ? 0.3 : 0;
const SEED = Number(process.env['STOA_SEED'] ?? 20_261_116);
/** Each session lists its newest 32 ended tasks; this test checks all of them. */
const PER_SESSION = 25;
const DESCRIPTORS = 12;
const PATIENT = { timeoutMs: 60_000, everyMs: 50 };

const SCRIPT = `
turns:
  - when: { kind: input, matches: "run: (.*)" }
    repeat: forever
    steps: [{ call: { tool: shell, input: { command: "\${match.1}", is_background: true } } }]
otherwise: [{ pass: true }]`;

/** What a command does by itself, and what its end is then. */
const COMMANDS = [
  { does: 'echo done', ends: 0 },
  { does: 'echo failing; exit 3', ends: 3 },
  { does: 'sleep 0.3; echo late; exit 7', ends: 7 },
  { does: 'while :; do echo again; sleep 0.05; done', ends: undefined },
  { does: `trap "" TERM; while :; do sleep 300; done`, ends: undefined },
  { does: '(setsid sleep 300 &) ; sleep 300', ends: undefined },
] as const;

interface Intent {
  readonly nonce: string;
}

interface Begun {
  readonly sessionId: string;
  readonly mark: string;
  readonly ends: number | undefined;
}

describe(`${String(SHELLS)} commands in the background (seed ${String(SEED)})`, () => {
  const random = new SeededRandom(SEED);
  const begun: Begun[] = [];
  const disturbed = new Set<string>();
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;

  const start = async (): Promise<void> => {
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
  };
  beforeAll(async () => {
    const sqlite = DAEMON_ENGINES.find(({ name }) => name === 'sqlite');
    if (!sqlite) throw new Error('there is no SQLite');
    directory = await sqlite.newDirectory();
    await start();
    await owner.put('/v1/agents/worker', {
      driver: { kind: 'script', script: SCRIPT },
      mode: 'full',
    });
  });
  // Commands outlive the daemon, as they should: also those of a test that failed half-way.
  afterAll(async () => {
    const nonces = noncesIn(directory);
    try {
      for (const sessionId of new Set(begun.map((each) => each.sessionId))) {
        await owner.post(`/v1/sessions/${sessionId}/tasks/stop`).catch(() => undefined);
      }
      nonces.push(...noncesIn(directory));
      await directory.discard();
    } finally {
      for (const nonce of new Set(nonces)) {
        for (const pid of processesWith(`STOA_TASK=${nonce}`)) kill(pid);
      }
    }
  });

  const tasksOf = async (sessionId: string): Promise<Task[]> =>
    (await owner.get<{ tasks: Task[] }>(`/v1/tasks?limit=200&sessionId=${sessionId}`)).json.tasks;
  const running = async (): Promise<Task[]> =>
    (await owner.get<{ tasks: Task[] }>('/v1/tasks?limit=200&status=running')).json.tasks;

  async function begin(sessionId: string): Promise<void> {
    const { does, ends } = random.pick(COMMANDS);
    const mark = `mark-${String(begun.length)}-`;
    begun.push({ sessionId, mark, ends });
    const { status } = await owner.post(`/v1/sessions/${sessionId}/inbox`, {
      text: `run: : ${mark}; ${does}`,
    });
    expect(status).toBe(202);
  }

  async function disturb(): Promise<void> {
    const living = await running();
    if (living.length === 0) return;
    const task = random.pick(living);
    disturbed.add(task.taskId);
    const { pid } = task.detail;
    if (!random.chance(OUTSIDE)) await owner.post(`/v1/tasks/${task.taskId}/stop`);
    else if (typeof pid === 'number') kill(-pid);
  }

  it('T-3 T-16 that end, are stopped and killed while the daemon is killed and started: none is left, none is wrong, each is reported once', {
    timeout: 1_200_000,
  }, async () => {
    const sessions: string[] = [];
    for (let i = 0; i < Math.ceil(SHELLS / PER_SESSION); i++) {
      const { json } = await owner.post<Session>('/v1/sessions', { agentId: 'worker' });
      sessions.push(json.sessionId);
    }
    await begin(sessions[0] ?? '');
    await until('the first has begun', async () => (await tasksOf(sessions[0] ?? '')).length > 0);
    const before = descriptors(daemon);
    const killAfter = new Set(
      Array.from({ length: KILLS }, (_, i) => Math.floor(((i + 1) * SHELLS) / (KILLS + 1))),
    );
    for (let i = 1; i < SHELLS; i++) {
      await begin(sessions[i % sessions.length] ?? '');
      if (random.chance(0.4)) await disturb();
      if (!killAfter.has(i)) continue;
      await daemon.kill();
      await start();
    }
    await until(
      'every session is at rest',
      async () => {
        const { json } = await owner.get<{ sessions: Session[] }>('/v1/sessions?limit=200');
        return json.sessions.every(
          ({ status, queuedRuns }) => status === 'idle' && queuedRuns === 0,
        );
      },
      PATIENT,
    );
    const endless = new Set(begun.filter(({ ends }) => ends === undefined).map(({ mark }) => mark));
    await until(
      'only those run that do not end by themselves',
      async () => (await running()).every((task) => endless.has(markOf(task))),
      PATIENT,
    );
    for (const sessionId of sessions) {
      for (const { taskId, status } of await tasksOf(sessionId)) {
        if (status !== 'running') continue;
        disturbed.add(taskId);
        await owner.post(`/v1/tasks/${taskId}/stop`);
      }
    }
    expect(await running()).toEqual([]);

    let listed = 0;
    let neverBegun = 0;
    for (const sessionId of sessions) {
      const tasks = await tasksOf(sessionId);
      listed += tasks.length;
      const path = `/v1/sessions/${sessionId}/inbox?limit=200&kind=task_notice`;
      const items = (await owner.get<{ items: InboxItem[] }>(path)).json.items;
      for (const task of tasks) {
        const notices = items.filter(({ metadata }) => metadata['taskId'] === task.taskId);
        expect(notices, `${task.taskId} ${task.status}`).toHaveLength(1);
        const mine = begun.filter(({ mark }) => mark === markOf(task));
        expect(mine).toHaveLength(1);
        expect(tasks.filter((other) => markOf(other) === markOf(task))).toEqual([task]);
        const left = processesWith(`STOA_TASK=${task.detail['nonce'] as string}`);
        expect(left, JSON.stringify(task)).toEqual([]);
        const ends = mine[0]?.ends;
        if (disturbed.has(task.taskId)) {
          expect(['cancelled', 'completed', 'failed', 'lost']).toContain(task.status);
          continue;
        }
        // A daemon that was killed between listing it and starting it cannot say more.
        if (task.status === 'lost' && task.detail['pid'] === undefined) {
          neverBegun += 1;
          continue;
        }
        expect(task).toMatchObject({
          status: ends === 0 ? 'completed' : 'failed',
          end: { cause: 'exited', exitCode: ends },
        });
      }
    }
    // A call that a kill interrupted is reported as unknown and not repeated: at most one for each kill.
    expect(listed - neverBegun).toBeGreaterThanOrEqual(SHELLS - KILLS);
    expect(descriptors(daemon) - before).toBeLessThan(DESCRIPTORS);
  });
});

const markOf = ({ detail }: Task): string => /mark-\d+-/.exec(JSON.stringify(detail))?.[0] ?? '';

const descriptors = ({ pid }: TestDaemon): number => readdirSync(`/proc/${String(pid)}/fd`).length;

/** Of all commands that were about to be started and are not forgotten, as their files say. */
function noncesIn({ home }: TestDirectory): string[] {
  const tasks = join(home, 'tasks');
  if (!existsSync(tasks)) return [];
  return readdirSync(tasks, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.intent'))
    .map((name) => (JSON.parse(readFileSync(join(tasks, name), 'utf8')) as Intent).nonce);
}

/** From outside, as somebody at another terminal would. */
function kill(pid: number): void {
  try {
    sendSignal(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
