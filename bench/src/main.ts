import { type Benchmark, type Form, Skipped } from './benchmark.js';
import { append } from './benchmarks/append.js';
import { appendHttp } from './benchmarks/append-http.js';
import { arbitrate } from './benchmarks/arbitrate.js';
import { attention } from './benchmarks/attention.js';
import { fanout } from './benchmarks/fanout.js';
import { footprint } from './benchmarks/footprint.js';
import { grant } from './benchmarks/grant.js';
import { growth } from './benchmarks/growth.js';
import { hostile } from './benchmarks/hostile.js';
import { latency } from './benchmarks/latency.js';
import { mailbox } from './benchmarks/mailbox.js';
import { overhead } from './benchmarks/overhead.js';
import { recover } from './benchmarks/recover.js';
import { shell } from './benchmarks/shell.js';
import { startup } from './benchmarks/startup.js';
import { web } from './benchmarks/web.js';
import { jsonLines, table } from './measure/report.js';
import { Ended } from './world/ended.js';
import { Scope } from './world/scope.js';

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  append,
  'append-http': appendHttp,
  overhead,
  latency,
  fanout,
  startup,
  growth,
  footprint,
  mailbox,
  shell,
  arbitrate,
  attention,
  grant,
  recover,
  web,
  hostile,
};

/** A benchmark that hangs is ended, and what it started with it. */
const LIMIT_SECONDS = { short: 120, long: 600 } as const;

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const flags = args.filter((arg) => arg.startsWith('--'));
  const unknownFlag = flags.find((flag) => flag !== '--short' && flag !== '--json');
  const unknownName = names.find((name) => !(name in BENCHMARKS));
  if (unknownFlag !== undefined || unknownName !== undefined) {
    console.error(`There is no ${unknownFlag ?? `benchmark ${unknownName ?? ''}`}.\n\n${usage()}`);
    return 1;
  }
  if (names.length === 0) {
    console.log(usage());
    return 0;
  }
  const form = flags.includes('--short') ? 'short' : 'long';
  for (const name of names) await runOne(name, form, flags.includes('--json'));
  return 0;
}

async function runOne(name: string, form: Form, onlyJson: boolean): Promise<void> {
  const benchmark = BENCHMARKS[name] as Benchmark;
  const { description } = benchmark;
  const scope = new Scope();
  const ended = new Ended(LIMIT_SECONDS[form]);
  try {
    if (!onlyJson) console.log(`${name}: ${description}${form === 'short' ? ' (short form)' : ''}`);
    const figures = await Promise.race([benchmark.run(form, scope), ended.reason]);
    if (!onlyJson) console.log(`${table(figures)}\n`);
    console.log(jsonLines(figures));
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.log(`${name}: skipped: ${error.message}`);
  } finally {
    ended.forget();
    await scope.end();
  }
}

function usage(): string {
  const width = Math.max(...Object.keys(BENCHMARKS).map((name) => name.length));
  const lines = Object.entries(BENCHMARKS).map(
    ([name, { description }]) => `  ${name.padEnd(width)}  ${description}`,
  );
  return `Usage: npm run bench -- NAME [--short] [--json]\n\n${lines.join('\n')}`;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error);
  process.exit(1);
}
