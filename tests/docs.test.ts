import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { runDocument } from './docs/run-document.js';
import { ROOT } from './docs/workbench.js';

describe('x', () => {
  it.each((process.env.DOCS ?? 'README.md').split(','))('%s', async (f) => {
    await runDocument(readFileSync(join(ROOT, f), 'utf8'));
  });
});
