// The order of the test files: those that take longest begin, so that no worker is left alone with
// one of them at the end. vitest knows this only from an earlier run, which a fresh clone has not had.
import { BaseSequencer } from 'vitest/node';

const longest = [
  'kill',
  'simulation',
  'turn-simulation',
  'docs',
  'cli-sessions',
  'lobby',
  'integrity',
  'slow-reader',
].map((name) => `/tests/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const rank = (file) => {
      const index = longest.findIndex((end) => file.moduleId.endsWith(end));
      return index === -1 ? longest.length : index;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
