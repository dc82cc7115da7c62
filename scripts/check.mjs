// `npm run check`: static checks of code, documents and words, and the tests of the repository itself. All checks run even if one
// fails. `npm run check -- types lint` runs some of them.
import { spawnSync } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { command, Failure, root } from './run.mjs';

const checks = {
  types: ['node_modules/typescript/bin/tsc', '--build'],
  'test types': ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.tests.json'],
  lint: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'],
  arrows: [
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    ...['--config', '.dependency-cruiser.cjs', 'packages', 'tests', 'bench'],
  ],
  'dead code': ['node_modules/knip/bin/knip.js'],
  openapi: ['scripts/lint-openapi.mjs'],
  lockfile: ['scripts/complete-lockfile.mjs', '--check'],
  format: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
  words: ['scripts/plain-words.mjs'],
  repository: ['scripts/test.mjs', '--project', 'repository'],
};

await command(async () => {
  await prepare();
  const all = Object.keys(checks);
  const selected = process.argv.length > 2 ? process.argv.slice(2) : all;
  const unknown = selected.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Failure(`No such check: ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  }
  const failed = selected.filter((name) => !passes(name));
  console.log(failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
});

function passes(name) {
  const started = performance.now();
  const options = { cwd: root, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY };
  const { status, stdout, stderr } = spawnSync(process.execPath, checks[name], options);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}`.trimEnd());
  return status === 0;
}
