import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoaError } from '@stoa/protocol';
import type { Logger } from 'pino';
import { type Flags, loadSettings } from './config/load-config.js';
import { startDaemon } from './lifecycle/daemon.js';
import { createLog } from './observe/log.js';

export interface RunOptions {
  readonly flags: Flags;
}

/** The bundle has the threads beside the program. */
const SEARCH_THREAD = new URL('./search-thread.js', import.meta.url);

/** The same path from the bundle of the command and from the source of this package. */
const WEB = fileURLToPath(new URL('../../web/dist', import.meta.url));

const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));

/** The files of the next daemon: programs of agents cannot change them, even if they are in their workspace. */
function installation(): string[] {
  const own = readdirSync(PACKAGES).flatMap((name) => [
    join(PACKAGES, name, 'dist'),
    join(PACKAGES, name, 'package.json'),
  ]);
  return [...own, join(PACKAGES, '../node_modules')];
}

const STOP_LIMIT_MS = 5_000;

/** Runs until SIGINT or SIGTERM and resolves with the exit code. Start-up errors are printed in one line. */
export async function runDaemon({ flags }: RunOptions): Promise<number> {
  try {
    process.umask(0o077);
    const settings = loadSettings(flags, process.env);
    const log = createLog(settings.config.log, process.stderr);
    const signal = nextSignal();
    const daemon = await startDaemon(settings, log, {
      searchThread: SEARCH_THREAD,
      web: WEB,
      installation: installation(),
    });
    try {
      const login = await daemon.loginUrl();
      process.stdout.write(`Stoa is ready at ${daemon.url}\nLog in with ${login}\n`);
      if (daemon.hasOpenedLobby) process.stdout.write(lobbyText(process.argv[1] ?? 'stoa'));
      log.info({ home: settings.home, config: settings.source }, 'started');
      log.info({ signal: await signal }, 'stopping');
    } finally {
      endWhenOverdue(log);
      await daemon.stop();
      log.info('stopped');
    }
    return 0;
  } catch (error) {
    if (!(error instanceof StoaError)) throw error;
    process.stderr.write(`stoa: ${error.message} (${error.code})\n`);
    return 1;
  }
}

/** What a newcomer can do next; the command is seldom on the path yet. */
function lobbyText(program: string): string {
  return `
Three scripted residents wait in the channel lobby: no model, no key. In another terminal:
  alias stoa=${shellWord(program)}
  stoa tail lobby --follow     # watch
  stoa send lobby "hello"      # and from a third terminal: speak
  stoa demo                    # or lean back: a conversation of two minutes
`;
}

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function endWhenOverdue(log: Logger): void {
  setTimeout(() => {
    log.error('stopping took too long, ending at once');
    process.exit(1);
  }, STOP_LIMIT_MS).unref();
}

/** Ignores later signals: under npm a Ctrl-C arrives twice, and stopping has a time limit anyway. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve);
  });
}
