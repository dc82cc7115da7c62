// Runs before each test file: gives it directories of its own for what it writes, and its name to what it starts.
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { markFile } from './leftovers.mjs';
import { root } from './run.mjs';

const { STOA_TEST_RUN: run, STOA_TEST_MEMORY: inMemory } = process.env;
if (run) {
  const file = path.relative(root, expect.getState().testPath ?? 'a test file');
  const [temporary, memory] = markFile(inMemory === undefined ? [run] : [run, inMemory], file);
  const own = {
    TMPDIR: temporary,
    STOA_TEST_FILE: file,
    ...(memory === undefined ? {} : { STOA_TEST_MEMORY: memory }),
  };
  const before = { ...process.env };
  Object.assign(process.env, own);
  afterAll(() => {
    for (const name of Object.keys(own)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
}
