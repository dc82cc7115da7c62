// Runs before each test file: gives it its own temporary directories, and its name to the processes that it starts, so that
// `leftovers` can report which file left something behind.
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { markFile } from './leftovers.mjs';
import { root } from './run.mjs';

const { STOA_TEST_RUN: run, STOA_TEST_MEMORY: inMemory } = process.env;
if (run) {
  const file = path.relative(root, expect.getState().testPath ?? 'a test file');
  const [temporary, memory] = markFile(inMemory === undefined ? [run] : [run, inMemory], file);
  const before = { ...process.env };
  Object.assign(process.env, {
    TMPDIR: temporary,
    STOA_TEST_FILE: file,
    ...(memory === undefined ? {} : { STOA_TEST_MEMORY: memory }),
  });
  afterAll(() => {
    for (const name of ['TMPDIR', 'STOA_TEST_FILE', 'STOA_TEST_MEMORY']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}
