// What `npm test` says at the end, and its exit code. Whoever reads only the last line reads
// `N passed, M failed`; what was skipped stands above it.

const none = { passed: 0, failed: 0, skipped: [] };

/**
 * @typedef {{ name: string, reason?: string | undefined }} Skipped
 * @typedef {{ passed: number, failed: number, skipped: Skipped[] }} Outcome
 * @typedef {{ status: number, outcome?: Outcome | undefined }} Run of vitest: its exit code, and what it
 *   left, if it came to that
 * @param {Run[]} runs
 * @param {{ file: string, what: string }[]} [left] what they left behind
 * @returns {{ lines: string[], exitCode: number }}
 */
export function report(runs, left = []) {
  const lines = [];
  let passed = 0;
  let failed = 0;
  for (const { status, outcome = none } of runs) {
    const unexplained = outcome.skipped.filter((test) => test.reason === undefined);
    const failures = outcome.failed + unexplained.length;
    passed += outcome.passed;
    failed += failures;
    for (const { name, reason } of outcome.skipped) {
      lines.push(`skipped: ${name}: ${reason ?? 'no reason given, which counts as a failure'}`);
    }
    if (status !== 0 && failures === 0) {
      lines.push(`vitest ended with exit code ${status}, which counts as a failure`);
      failed += 1;
    }
  }
  for (const { file, what } of left) {
    lines.push(`left behind by ${file}: ${what}, which counts as a failure`);
    failed += 1;
  }
  const skipped = runs.reduce((sum, { outcome = none }) => sum + outcome.skipped.length, 0);
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failed} failed`);
  const status = runs.find((run) => run.status !== 0)?.status ?? 0;
  return { lines, exitCode: failed > 0 && status === 0 ? 1 : status };
}
