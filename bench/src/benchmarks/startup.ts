import { type ChildProcess, spawn } from 'node:child_process';
import type { Benchmark } from '../benchmark.js';
import { alternate, type Block } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { cleanEnvironment } from '../world/child.js';
import { STOA, startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import { prepareHistory } from '../world/prepared-history.js';
import type { Scope } from '../world/scope.js';

export const startup: Benchmark = {
  description: 'stoa --version and stoa status ÷ node -e 0; daemon start, many messages ÷ none',
  async run(form, scope) {
    const extent =
      form === 'short'
        ? { pairs: 6, seconds: 3, warmUp: 1 }
        : { pairs: 60, seconds: 40, warmUp: 3 };
    const starts =
      form === 'short'
        ? { pairs: 4, seconds: 6, warmUp: 1 }
        : { pairs: 25, seconds: 60, warmUp: 2 };
    const messages = form === 'short' ? 20_000 : 1_000_000;
    const bare = runToEnd(['-e', '0']);

    const version = await alternate(runToEnd([STOA, '--version']), bare, extent);

    const home = openDirectory(scope);
    const daemon = await startDaemon(scope, home);
    const status = await alternate(runToEnd([STOA, 'status'], { STOA_HOME: home }), bare, extent);
    await daemon.child.end();

    const full = openDirectory(scope);
    await prepareHistory(scope, full, [messages]);
    const daemonStart = await alternate(untilAnswer(scope, full), untilAnswer(scope, home), starts);

    const label = { bench: 'startup', unit: 'ms' } as const;
    return [
      figureOf({ ...label, part: 'stoa --version', goal: '<=2' }, version),
      figureOf({ ...label, part: 'stoa status', goal: '<=2' }, status),
      figureOf(
        { ...label, part: `daemon, ${messages} messages ÷ none`, goal: '<=1.5' },
        daemonStart,
      ),
    ];
  },
};

/** From starting a command to its end. */
function runToEnd(args: readonly string[], env: Readonly<Record<string, string>> = {}): Block {
  return async () => {
    const started = performance.now();
    const child = spawn(process.execPath, args, {
      env: { ...cleanEnvironment(), ...env },
      stdio: 'ignore',
    });
    const code = await exitCode(child);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}`);
    return performance.now() - started;
  };
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

/** From starting the daemon to its first answer to somebody it knows. */
function untilAnswer(scope: Scope, home: string): Block {
  return () =>
    scope.within(async (inner) => {
      const started = performance.now();
      const { client } = await startDaemon(inner, home);
      await client.whoami();
      return performance.now() - started;
    });
}
