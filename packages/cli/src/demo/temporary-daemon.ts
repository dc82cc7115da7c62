import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface TemporaryDaemon {
  readonly url: string;
  readonly token: string;
  /** Ends it, and removes all it stored. */
  end(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 10_000;

/** A daemon of its own, of this very program, in a directory that is gone afterwards. */
export async function startTemporaryDaemon(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<TemporaryDaemon> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-demo-'));
  const own = Object.entries(env).filter(([name]) => !name.startsWith('STOA_'));
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? '', 'serve', '--home', home, '--port', '0'],
    {
      env: { ...Object.fromEntries(own), STOA_LOBBY: 'auto' },
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: os.tmpdir(),
    },
  );
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(overdue);
    fs.rmSync(home, { recursive: true, force: true });
  };
  try {
    const url = await ready(child, signal);
    const token = fs.readFileSync(path.join(home, 'token'), 'utf8').trim();
    return { url, token, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function ready(child: ChildProcess, signal: AbortSignal): Promise<string> {
  let output = '';
  let complained = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      reject(new Error(`${why}${complained === '' ? '' : `: ${complained.trim().slice(-500)}`}`));
    };
    const timer = setTimeout(() => fail('the daemon of the demonstration did not start'), START_MS);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complained = (complained + text).slice(-4_000);
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /Stoa is ready at (\S+)\n/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('error', (error) => fail(error.message));
    child.once('close', () => {
      clearTimeout(timer);
      fail('the daemon of the demonstration ended');
    });
    signal.addEventListener('abort', () => fail('interrupted'), { once: true });
  });
}
