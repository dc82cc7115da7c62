// The order of the test files: those that take longest begin, so that no worker is left alone with
// one of them at the end. vitest knows this only from an earlier run, which a fresh clone has not had.
// Those of one project follow each other, since a worker that gets a file of another is started anew; but
// those in a browser run while others compute, one at a time: several at once are in each other's way.
import { BaseSequencer } from 'vitest/node';

const first = named(['kill', 'simulation', 'turn-simulation']);
const next = named(['docs', 'cli-sessions', 'schema', 'cli', 'lobby', 'integrity', 'slow-reader']);

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** Of one project after the other; within it, the order it was given. */
function rank({ project, moduleId }) {
  if (project.name === 'unit') return 200;
  if (project.name === 'web') return 50;
  const index = first.findIndex((end) => moduleId.endsWith(end));
  if (index !== -1) return index;
  const later = next.findIndex((end) => moduleId.endsWith(end));
  return 100 + (later === -1 ? next.length : later);
}

function named(names) {
  return names.map((name) => `/tests/${name}.test.ts`);
}
