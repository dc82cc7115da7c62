// `npm test`: prepare, run vitest with the given arguments, and end with one line that counts.
// A skipped test is reported with its reason; one without a reason is a failure, and so is a process or a directory
// that a test leaves behind.
import fs from 'node:fs';
import path from 'node:path';
import { leftovers } from './leftovers.mjs';
import { command, startPreparing } from './prepare.mjs';
import { casesOfPrograms } from './program-tests.mjs';
import { root, run } from './run.mjs';
import { report } from './test-report.mjs';
import { withRun } from './test-run.mjs';

const args = process.argv.slice(2).filter((arg) => arg !== '--soak');
const isSoak = process.argv.includes('--soak');

const withSqlite = ['e2e', 'web', 'unit'];

const elsewhere = `Not run here: ${casesOfPrograms().join(', ')} with the real programs of others, which are fetched and slow
to start (npm run test:programs); the rules of the repository and the test kit (npm run check); hostile input, whose
times are measured (npm run test:hostile); the long forms (npm run test:soak). CI runs all but the last.`;

await command(async () => {
  const { compiled } = await startPreparing();
  return withRun(async (testRun) => {
    const test = (projects, options) => vitest(testRun, projects, options);
    const early = compiled !== undefined && args.length === 0;
    const runs = early
      ? await whileCompiling(compiled, test)
      : await afterCompiling(compiled, test);
    const { lines, exitCode } = report(runs, await leftovers(testRun.directories));
    if (args.length === 0) console.log(elsewhere);
    for (const line of lines) console.log(line);
    return exitCode;
  });
});

async function afterCompiling(compiled, test) {
  await compiled?.();
  return [await (args.length === 0 ? test(['early', ...withSqlite]) : test([]))];
}

/** All others wait for the compiler, which leaves a core idle: the tests that need no SQLite have that one. */
async function whileCompiling(compiled, test) {
  console.log('SQLite is compiled while the tests run that do not need it.');
  const early = await test(['early'], { yields: true });
  await compiled();
  return [early, await test(withSqlite)];
}

async function vitest(testRun, projects, { yields = false } = {}) {
  const file = path.join(testRun.directories[0], `${projects.join('-')}.json`);
  const status = await run(
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      `--reporter=${path.join(root, 'scripts/vitest-outcome.mjs')}`,
      ...projects.flatMap((name) => ['--project', name]),
      ...args,
    ],
    { env: { ...environment(), ...testRun.environment, STOA_TEST_OUTCOME: file }, yields },
  );
  await testRun.checkpoint();
  const outcome = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  return { status, outcome };
}

/**
 * Node reads the certificates that it is told to trust at each start, which takes longer than the rest of
 * it. The tests start it a thousand times; those that fetch nothing call nobody but this machine.
 */
function environment() {
  const environment = { ...process.env, ...(isSoak ? { STOA_SOAK: '1' } : {}) };
  // Who asks for some of them may ask for one that fetches.
  const fetches = isSoak || args.length > 0;
  if (!fetches) delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}
