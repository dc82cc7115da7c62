// `npm run check`: static checks of the code and of its words, and the tests of the rules, of the types in documents
// and of the test kit. All checks run even if one fails. Arguments select checks: `npm run check -- types lint`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { command, prepare } from './prepare.mjs';
import { root } from './run.mjs';

const bin = (file) => path.join(root, 'node_modules', file);

const checks = {
  types: [bin('typescript/bin/tsc'), '--build'],
  'test types': [bin('typescript/bin/tsc'), '--project', 'tsconfig.tests.json'],
  lint: [bin('eslint/bin/eslint.js'), '--max-warnings=0', '.'],
  arrows: [
    bin('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'packages',
    'tests',
    'bench',
  ],
  'dead code': [bin('knip/bin/knip.js')],
  openapi: ['scripts/lint-openapi.mjs'],
  lockfile: ['scripts/complete-lockfile.mjs', '--check'],
  format: [bin('@biomejs/biome/bin/biome'), 'check', '.'],
  words: ['scripts/plain-words.mjs'],
  repository: ['scripts/test.mjs', '--project', 'repository'],
};

await command(async () => {
  await prepare();
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !(name in checks));
  if (unknown.length > 0) {
    console.error(
      `No such check: ${unknown.join(', ')}. There are: ${Object.keys(checks).join(', ')}.`,
    );
    return 1;
  }
  const failed = (asked.length > 0 ? asked : Object.keys(checks)).filter((name) => !passes(name));
  console.log(failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
});

function passes(name) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, checks[name], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const passed = status === 0;
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (!passed) console.log(`${stdout}${stderr}`.trimEnd());
  return passed;
}
