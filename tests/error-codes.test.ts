import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type Problem, StoaError } from '@stoa/protocol';
import { call, startDaemon } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { pages } from './docs/documents.js';

const ROOT = join(import.meta.dirname, '..');
const CODES = Object.keys(ERRORS) as (keyof typeof ERRORS)[];

/** The code of every test there is, but for this file, and without its comments. */
function allTests(): string {
  const directories = [
    'tests',
    ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/src`),
  ];
  const files = directories.flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && name !== 'error-codes.test.ts')
      .map((name) => join(ROOT, directory, name)),
  );
  return files
    .map((file) => readFileSync(file, 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''))
    .join('\n');
}

describe('the error registry', () => {
  const documented = [...pages().matchAll(/^### `(\w+)` · (\d+)/gm)];
  const tests = allTests();

  it('F-30 is documented, code by code, with the status of each, and nothing else is', () => {
    const inDocs = documented.map(([, code, status]) => `${code ?? ''} ${status ?? ''}`);
    expect(inDocs.sort()).toEqual(
      CODES.map((code) => `${code} ${String(ERRORS[code].status)}`).sort(),
    );
  });

  it.each(CODES)('F-30 has a test that expects %s', (code) => {
    expect(tests).toMatch(new RegExp(`['"\`]${code}['"\`]`));
  });

  it('F-30 gives every error the shape of a problem document', async () => {
    const daemon = await startDaemon();
    try {
      const { headers, json } = await call<Problem>(daemon.url, 'GET', '/v1/whoami');
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(json).toEqual({ ...new StoaError('unauthenticated').toProblem() });
      expect(json.type).toBe('urn:stoa:error:unauthenticated');
    } finally {
      await daemon.cleanUp();
    }
  });
});
