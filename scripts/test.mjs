// `npm test`: prepares, runs vitest with the given arguments, and ends with a line that counts (test-report.mjs). On a fresh clone
// the tests that need no SQLite run while it is compiled. `--soak` runs the long forms.
import fs from 'node:fs';
import path from 'node:path';
import { leftovers } from './leftovers.mjs';
import { startPreparing } from './prepare.mjs';
import { programCases } from './program-tests.mjs';
import { command, run } from './run.mjs';
import { report } from './test-report.mjs';
import { withRun } from './test-run.mjs';

const args = process.argv.slice(2).filter((arg) => arg !== '--soak');
const isSoak = process.argv.includes('--soak');
const isWhole = args.length === 0;

const withSqlite = ['e2e', 'web', 'unit'];

const notRun = `Not run here: ${programCases().join(', ')} with third-party programs, which are downloaded and slow
to start (npm run test:programs); the rules of the repository and the test kit (npm run check); hostile input, whose
times are measured (npm run test:hostile); the long forms (npm run test:soak). CI runs all but the last.`;

await command(async () => {
  const { compiled } = await startPreparing();
  return withRun(async (testRun) => {
    const runs = [];
    if (compiled && isWhole) {
      console.log('SQLite is compiled while the tests run that do not need it.');
      runs.push(await vitest(testRun, ['early'], { yields: true }));
      await compiled();
      runs.push(await vitest(testRun, withSqlite));
    } else {
      await compiled?.();
      runs.push(await vitest(testRun, isWhole ? ['early', ...withSqlite] : []));
    }
    const { lines, exitCode } = report(runs, await leftovers(testRun.directories));
    if (isWhole) console.log(notRun);
    for (const line of lines) console.log(line);
    return exitCode;
  });
});

async function vitest(testRun, projects, { yields = false } = {}) {
  const file = path.join(testRun.directories[0], `${projects.join('-')}.json`);
  const reporters = ['--reporter=default', '--reporter=./scripts/test-report.mjs'];
  const selected = projects.flatMap((name) => ['--project', name]);
  const status = await run(
    ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...selected, ...args],
    { env: { ...environment(), ...testRun.environment, STOA_TEST_OUTCOME: file }, yields },
  );
  await testRun.checkpoint();
  const outcome = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  return { status, outcome };
}

/**
 * Node reads additional certificates at each start, which takes longer than the rest of the start. `npm test` starts
 * it a thousand times and downloads nothing; with arguments or in the soak a test may download something.
 */
function environment() {
  const environment = { ...process.env, ...(isSoak ? { STOA_SOAK: '1' } : {}) };
  if (isWhole && !isSoak) delete environment.NODE_EXTRA_CA_CERTS;
  return environment;
}
