// What `npm test` prints at its end. The reporter below runs inside vitest and writes the counts, and the skipped tests with their
// reasons, to a file; `report` turns the results of all runs into the last lines and the exit code. The last line is
// `N passed, M failed`. A test that is skipped without a reason, and anything that a test leaves behind, counts as failed.
import fs from 'node:fs';

const none = { passed: 0, failed: 0, skipped: [] };

/**
 * @typedef {{ name: string, reason?: string | undefined }} Skipped
 * @typedef {{ passed: number, failed: number, skipped: Skipped[] }} Outcome
 * @typedef {{ status: number, outcome?: Outcome | undefined }} Run of vitest: its exit code, and the outcome if it wrote one
 * @param {Run[]} runs
 * @param {{ file: string, what: string }[]} [left] what the tests left behind
 * @returns {{ lines: string[], exitCode: number }}
 */
export function report(runs, left = []) {
  const lines = [];
  let [passed, failed, skipped] = [0, 0, 0];
  for (const { status, outcome = none } of runs) {
    const unexplained = outcome.skipped.filter((test) => test.reason === undefined);
    const failures = outcome.failed + unexplained.length;
    passed += outcome.passed;
    failed += failures;
    skipped += outcome.skipped.length;
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
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failed} failed`);
  const status = runs.find((run) => run.status !== 0)?.status ?? 0;
  return { lines, exitCode: failed > 0 && status === 0 ? 1 : status };
}

export default class OutcomeReporter {
  #namePattern;

  onInit(vitest) {
    this.#namePattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const outcome = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      const failedGroups = [module, ...module.children.allSuites()].filter(hasErrors);
      outcome.failed += failedGroups.length;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === 'passed' || state === 'failed') outcome[state] += 1;
        else if (!this.#isExpected(test))
          outcome.skipped.push({ name: test.fullName, reason: note });
      }
    }
    fs.writeFileSync(process.env.STOA_TEST_OUTCOME, JSON.stringify(outcome));
  }

  /** Whether a test was not selected (`-t`), or did not run because a group around it failed, which is counted already. */
  #isExpected(test) {
    if (this.#namePattern?.test(test.fullName.replaceAll(' > ', ' ')) === false) return true;
    for (let group = test.parent; group !== undefined; group = group.parent) {
      if (hasErrors(group)) return true;
    }
    return false;
  }
}

const hasErrors = (group) => group.errors().length > 0;
