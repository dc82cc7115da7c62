import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Caller, call } from '@stoa/testkit';

/** What the cases call responsive. */
const RESPONSIVE_MS = 250;

const IDLE_SERVER = `
  const server = require('node:http').createServer((_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** A server that does nothing else: how long it takes to answer is what the machine takes. */
export interface IdleServer {
  readonly url: string;
  close(): void;
}

export async function startIdleServer(): Promise<IdleServer> {
  const child = spawn(process.execPath, ['-e', IDLE_SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}`, close: () => void child.kill() };
}

export interface Watched {
  readonly url: string;
  readonly idle: IdleServer;
  /** Another person, and where that person posts. */
  readonly other: Caller;
  readonly messages: string;
}

export interface Slowness {
  readonly healthMs: number;
  readonly postMs: number;
  readonly idleMs: number;
}

/** Does the work, and asks for /healthz and posts as another person all the while. */
export async function whileWatched<T>(
  { url, idle, other, messages }: Watched,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly worst: Slowness }> {
  let isOver = false;
  const worst = { healthMs: 0, postMs: 0, idleMs: 0 };
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const [healthMs, postMs, idleMs] = await Promise.all([
        timeOf(() => call(url, 'GET', '/healthz')),
        timeOf(() => other.post(messages, { text: 'hello' })),
        timeOf(() => call(idle.url, 'GET', '/')),
      ]);
      worst.healthMs = Math.max(worst.healthMs, healthMs);
      worst.postMs = Math.max(worst.postMs, postMs);
      worst.idleMs = Math.max(worst.idleMs, idleMs);
    }
  };
  const probing = probe();
  try {
    return { result: await work(), worst };
  } finally {
    isOver = true;
    await probing;
  }
}

/** What an idle server needs on this machine at the same time is no fault of the daemon. */
export function isResponsive({ healthMs, postMs, idleMs }: Slowness): boolean {
  return Math.max(healthMs, postMs) <= RESPONSIVE_MS + idleMs;
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
