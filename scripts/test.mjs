// `npm test`: prepare, run vitest with the given arguments, and end with one line that counts.
// A skipped test is told with its reason; one without a reason is a failure.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { command, prepare } from './prepare.mjs';
import { root } from './root.mjs';
import { run } from './run.mjs';
import { report } from './test-report.mjs';

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
    const outcome = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
    const { lines, exitCode } = report(status, outcome);
    for (const line of lines) console.log(line);
    return exitCode;
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
});
