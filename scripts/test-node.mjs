// `npm run test:node24`: runs the unit tests, and a conversation with the daemon, on another Node. npm fetches it as a
// package into its own cache; nothing is installed here. `node scripts/test-node.mjs 22.23.3` uses another version.
import { execFileSync } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { command, root, run, step } from './run.mjs';
import { withRun } from './test-run.mjs';

const [version = '24.21.0', ...filters] = process.argv.slice(2);

/** The unit tests, and the end-to-end tests that depend on SQLite. */
const tests = [
  'packages/',
  'tests/other-node',
  'tests/backup.test.ts',
  'tests/damaged-store.test.ts',
  'tests/disk-full.test.ts',
  'tests/failed-sync.test.ts',
  'tests/sqlite-install.test.ts',
];
const projects = ['early', 'unit', 'e2e', 'other-node'];

await command(async () => {
  // On this Node, for which the dependencies are compiled.
  await prepare();
  const node = await step(`Fetching Node ${version}`, fetchNode);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run'];
  const selected = projects.flatMap((name) => ['--project', name]);
  return withRun(({ environment }) =>
    run([...vitest, ...selected, ...(filters.length > 0 ? filters : tests)], {
      node,
      env: { ...process.env, ...environment },
    }),
  );
});

/** The path of that version's program. */
function fetchNode() {
  const fetched = `--package=node-${process.platform}-${process.arch}@${version}`;
  const args = ['exec', '--yes', '--ignore-scripts', fetched, '--', 'node', '-p'];
  const print = 'process.version + " " + process.execPath';
  const output = execFileSync('npm', [...args, print], { cwd: root, encoding: 'utf8' });
  const [found, file] = output.trim().split(' ');
  if (found !== `v${version}`) throw new Error(`npm fetched Node ${found} instead of ${version}`);
  return file;
}
