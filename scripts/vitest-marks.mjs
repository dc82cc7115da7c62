// Runs before each test file: gives it a temporary directory of its own, and its name to what it starts.
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { markFile } from './leftovers.mjs';
import { root } from './root.mjs';

const run = process.env.STOA_TEST_RUN;
if (run) {
  const before = process.env.TMPDIR;
  const file = path.relative(root, expect.getState().testPath ?? 'a test file');
  process.env.TMPDIR = markFile(run, file);
  process.env.STOA_TEST_FILE = file;
  afterAll(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    delete process.env.STOA_TEST_FILE;
  });
}
