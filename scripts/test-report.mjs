// What `npm test` says at the end, and its exit code. Whoever reads only the last line reads
// `N passed, M failed`; what was skipped stands above it.

/**
 * @typedef {{ name: string, reason?: string | undefined }} Skipped
 * @typedef {{ passed: number, failed: number, skipped: Skipped[] }} Outcome
 * @param {number} status the exit code of vitest
 * @param {Outcome | undefined} outcome undefined when vitest left none
 * @returns {{ lines: string[], exitCode: number }}
 */
export function report(status, outcome = { passed: 0, failed: 0, skipped: [] }) {
  const unexplained = outcome.skipped.filter((test) => test.reason === undefined);
  const lines = outcome.skipped.map(
    ({ name, reason }) =>
      `skipped: ${name}: ${reason ?? 'no reason given, which counts as a failure'}`,
  );
  if (lines.length > 0) lines.push(`${lines.length} skipped`);
  let failed = outcome.failed + unexplained.length;
  if (status !== 0 && failed === 0) {
    lines.push(`vitest ended with exit code ${status}, which counts as a failure`);
    failed = 1;
  }
  lines.push(`${outcome.passed} passed, ${failed} failed`);
  return { lines, exitCode: failed > 0 && status === 0 ? 1 : status };
}
