import { describe, expect, it } from 'vitest';
import { codeBlocks } from './docs/code-blocks.js';
import { read } from './docs/documents.js';
import { RUNNING } from './docs/running.js';
import { typeErrors } from './docs/type-check.js';

describe('the examples in the documentation', () => {
  it('F-33 in TypeScript fit the types of the packages, and one that does not is noticed', {
    timeout: 120_000,
  }, () => {
    const programs = RUNNING.flatMap((file) =>
      codeBlocks(read(file))
        .filter(({ language, mark }) => language === 'ts' && mark === 'run')
        .map(({ text, line }) => [`${file.replace(/\W/g, '-')}-${line}`, text] as const),
    );
    const wrong = `import { createNodeClient } from '@stoa/client/node';
      createNodeClient({ baseUrl: 'http://127.0.0.1:7117', tokn: 'x' });`;
    expect(programs.length).toBeGreaterThan(0);
    expect(typeErrors(new Map([...programs, ['wrong', wrong]]))).toEqual([
      expect.stringMatching(/^wrong\.ts.*tokn/),
    ]);
  });
});
