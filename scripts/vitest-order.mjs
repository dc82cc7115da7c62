// The order of the test files: those that take longest begin, so that no worker is left alone with
// one of them at the end. vitest knows this only from an earlier run, which a fresh clone has not had.
// Those of one project follow each other: a worker that gets a file of another is started anew.
import { BaseSequencer } from 'vitest/node';

const projects = ['early', 'e2e', 'web', 'unit'];

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
    const isOf = (file) => projects.indexOf(file.project.name);
    const rank = (file) => {
      const index = longest.findIndex((end) => file.moduleId.endsWith(end));
      return index === -1 ? longest.length : index;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => isOf(a) - isOf(b) || rank(a) - rank(b));
  }
}
