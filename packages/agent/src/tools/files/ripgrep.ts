import { spawn } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { isInside } from '../paths.js';
import type { Sandbox } from '../shell/sandbox.js';
import type { DecidedEnvironment } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';
import type { Search } from './grep-search.js';

const STDERR_CHARS = 2_000;

/** Runs ripgrep in the sandbox, which hides the data directory, and checks that each reported path is not a link. */
export async function searchWithRipgrep(
  program: string,
  search: Search,
  environment: DecidedEnvironment,
  sandbox: Sandbox,
): Promise<void> {
  const launch = await sandbox.launch([program, ...argumentsFor(search, environment)], {
    environment: {},
  });
  const child = spawn(launch.argv[0] ?? program, launch.argv.slice(1), {
    cwd: search.root,
    env: { ...launch.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => void child.kill('SIGKILL');
  environment.signal.addEventListener('abort', stop, { once: true });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, STDERR_CHARS);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  ended.catch(() => undefined);
  let isAnyFound = false;
  try {
    const mayReport = reportCheck(search.root, environment);
    for await (const line of createInterface({ input: child.stdout })) {
      const event = readEvent(line);
      if (!event) continue;
      isAnyFound = true;
      const path = join(search.root, event.path);
      if (search.wants(relative(search.root, path)) && (await mayReport(path))) {
        search.report.add({ ...event, path });
      }
      if (search.report.isFull) break;
    }
  } finally {
    if (search.report.isFull || environment.signal.aborted) stop();
    environment.signal.removeEventListener('abort', stop);
  }
  child.stdout.destroy();
  const code = await ended;
  environment.signal.throwIfAborted();
  if (code === 2 && !isAnyFound) throw new ToolFailure(stderr.trim() || 'ripgrep failed');
}

function argumentsFor({ input, root, file }: Search, { paths }: DecidedEnvironment): string[] {
  const { glob, context = 0, ignore_case = false, pattern } = input;
  const home = isInside(paths.home, root) ? relative(root, paths.home) : undefined;
  return [
    ...['--no-config', '--json', '--hidden', '--no-messages', '--no-require-git'],
    ...['--sort', 'path', '--max-filesize', '20M'],
    ...(ignore_case ? ['--ignore-case'] : []),
    ...(context > 0 ? ['--context', String(context)] : []),
    // As a type, because ripgrep searches files that a glob names even if they are ignored.
    ...(glob === undefined || glob.includes('/')
      ? []
      : ['--type-add', `wanted:${glob}`, '--type', 'wanted']),
    ...['--glob', '!.git', '--glob', '!node_modules'],
    ...(home === undefined || home === '' ? [] : ['--glob', `!/${escapeGlob(home)}`]),
    ...['--regexp', pattern, '--', file === undefined ? '.' : `./${file}`],
  ];
}

const escapeGlob = (path: string): string => path.replace(/[\\*?[\]{}!]/g, '\\$&');

function reportCheck(root: string, { mayShow }: DecidedEnvironment) {
  const known = new Map<string, boolean>();
  return async (path: string): Promise<boolean> => {
    const answer = known.get(path);
    if (answer !== undefined) return answer;
    const real = await fs.realpath(path).catch(() => undefined);
    const mayReport = real === path && isInside(path, root) && mayShow(path);
    known.set(path, mayReport);
    return mayReport;
  };
}

interface RipgrepEvent {
  readonly type: string;
  readonly data: {
    readonly path?: { readonly text?: string };
    readonly lines?: { readonly text?: string; readonly bytes?: string };
    readonly line_number?: number | null;
  };
}

function readEvent(line: string) {
  const { type, data } = JSON.parse(line) as RipgrepEvent;
  if (type !== 'match' && type !== 'context') return undefined;
  // No tool accepts a path that is not UTF-8.
  if (data.path?.text === undefined) return undefined;
  const { text, bytes } = data.lines ?? {};
  return {
    path: data.path.text,
    number: data.line_number ?? 0,
    text: text ?? Buffer.from(bytes ?? '', 'base64').toString('utf8'),
    isMatch: type === 'match',
  };
}
