// `npm test`: prepare, run vitest with the given arguments, and end with one line that counts.
// A skipped test is told with its reason; one without a reason is a failure.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { command, prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';

await command(async () => {
  await prepare();
  const args = process.argv.slice(2).filter((arg) => arg !== '--soak');
  const soak = process.argv.includes('--soak');
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-test-'));
  const file = path.join(directory, 'outcome.json');
  try {
    const status = await run(
      [
        path.join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        `--reporter=${path.join(root, 'scripts/vitest-outcome.mjs')}`,
        ...args,
      ],
      { env: { ...process.env, STOA_TEST_OUTCOME: file, ...(soak ? { STOA_SOAK: '1' } : {}) } },
    );
    return report(
      status,
      fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined,
    );
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
});

function report(status, outcome = { passed: 0, failed: 0, skipped: [] }) {
  const unexplained = outcome.skipped.filter((test) => test.reason === undefined);
  for (const { name, reason } of outcome.skipped) {
    console.log(`skipped: ${name}: ${reason ?? 'no reason given, which counts as a failure'}`);
  }
  let failed = outcome.failed + unexplained.length;
  if (status !== 0 && failed === 0) {
    console.log(`vitest ended with exit code ${status}, which counts as a failure`);
    failed = 1;
  }
  const skipped = outcome.skipped.length - unexplained.length;
  console.log(
    `${outcome.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  );
  if (failed === 0) return 0;
  return status === 0 ? 1 : status;
}
