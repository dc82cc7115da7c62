import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Skipped } from '../benchmark.js';
import { openDirectory } from './directory.js';
import type { Scope } from './scope.js';

type Program = ChildProcessByStdio<Writable, Readable, null>;

const ANSWER_LIMIT_MS = 60_000;

/** The command that starts qwen, which is fetched into a cache of this user if it is not there. */
export async function findQwen(): Promise<readonly string[]> {
  // Loaded late: no other benchmark needs it.
  const { installProgram } = await import('@stoa/testkit');
  // Not having it skips a benchmark everywhere; only tests insist on it in CI.
  const qwen = await installProgram('qwen', { ...process.env, CI: '' });
  if (qwen.command === undefined) throw new Skipped(qwen.reason);
  return qwen.command;
}

/** A `qwen --acp` that knows nothing of this user, with one session open. Resolves with its process id. */
export async function startQwen(scope: Scope, command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  const home = openDirectory(scope);
  // It does not ask its model for anything before it is asked something itself.
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_API_KEY: 'none',
    OPENAI_MODEL: 'none',
  };
  const child: Program = spawn(program, [...args, '--acp'], {
    cwd: home,
    env,
    // A group of its own, which is ended as a whole: it starts itself a second time.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
  });
  scope.defer(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  await ask(child, 1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await ask(child, 2, 'session/new', { cwd: home, mcpServers: [] });
  return child.pid ?? 0;
}

function ask(child: Program, id: number, method: string, params: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    const settle = (error?: Error): void => {
      clearTimeout(limit);
      lines.close();
      if (error) reject(error);
      else resolve();
    };
    const limit = setTimeout(() => {
      settle(new Error(`qwen did not answer ${method}`));
    }, ANSWER_LIMIT_MS);
    lines.on('line', (line) => {
      if (!line.startsWith('{')) return;
      const answer = JSON.parse(line) as { id?: number; error?: unknown };
      if (answer.id !== id) return;
      settle(answer.error === undefined ? undefined : new Error(`qwen: ${line}`));
    });
    child.once('close', () => {
      settle(new Error(`qwen ended before it answered ${method}`));
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  });
}
