// `npm run test:node24`: the unit tests, and a conversation with the daemon, on another Node than the one that runs
// this. Its runtime comes from the registry as a package of its own, which only this needs: it is put into a cache
// beside the dependencies and not among them. `node scripts/test-node.mjs 22.23.3` takes another version.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { command, prepare } from './prepare.mjs';
import { progress, root, run } from './run.mjs';
import { withRun } from './test-run.mjs';

const [version = '24.21.0', ...filters] = process.argv.slice(2);

/** The unit tests, and those end-to-end tests that depend on SQLite. */
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
  // On this Node: what is installed is compiled for it, and stays as it is.
  await prepare();
  const node = runtime();
  return withRun(({ environment }) =>
    run(
      [
        path.join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        ...projects.flatMap((name) => ['--project', name]),
        ...(filters.length > 0 ? filters : tests),
      ],
      { node, env: { ...process.env, ...environment } },
    ),
  );
});

/** The program of that version, fetched if it is missing. */
function runtime() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const cache = path.join(root, 'node_modules/.cache/stoa-node', version);
  const program = path.join(cache, 'node_modules', name, 'bin/node');
  if (!isThatVersion(program)) {
    const shown = progress(`Fetching Node ${version}`);
    fs.rmSync(cache, { recursive: true, force: true });
    fs.mkdirSync(cache, { recursive: true });
    fs.writeFileSync(path.join(cache, 'package.json'), '{"private":true}\n');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const { status, stdout, stderr } = spawnSync(
      'npm',
      ['install', ...options, `${name}@${version}`],
      { cwd: cache, encoding: 'utf8', shell: process.platform === 'win32' },
    );
    if (status !== 0 || !isThatVersion(program)) {
      shown.cancel();
      throw new Error(`npm could not install ${name}@${version}:\n${stdout}${stderr}`);
    }
    shown.done(`Fetched Node ${version}`);
  }
  return program;
}

function isThatVersion(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return stdout?.trim() === `v${version}`;
}
