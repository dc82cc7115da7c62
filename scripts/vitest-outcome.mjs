// A vitest reporter that leaves the counts, and the skipped tests with their reasons, for test.mjs.
import fs from 'node:fs';

export default class OutcomeReporter {
  #namePattern;

  onInit(vitest) {
    this.#namePattern = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const outcome = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      if (module.errors().length > 0) outcome.failed += 1;
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) outcome.failed += 1;
      }
      for (const test of module.children.allTests()) this.#count(test, outcome);
    }
    fs.writeFileSync(process.env.STOA_TEST_OUTCOME, JSON.stringify(outcome));
  }

  #count(test, outcome) {
    const result = test.result();
    if (result.state === 'passed') outcome.passed += 1;
    else if (result.state === 'failed') outcome.failed += 1;
    else if (!this.#isLeftOut(test)) {
      outcome.skipped.push({ name: test.fullName, reason: result.note });
    }
  }

  /** Not asked for (`-t`), or not reached because something around it failed and was counted. */
  #isLeftOut(test) {
    if (
      this.#namePattern !== undefined &&
      !this.#namePattern.test(test.fullName.replaceAll(' > ', ' '))
    ) {
      return true;
    }
    for (let around = test.parent; around !== undefined; around = around.parent) {
      if (around.errors().length > 0) return true;
    }
    return false;
  }
}
