import { type Reader, slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { envelope, indentLines, plainText, toolResultForModel } from './envelope.js';
import { Pace } from './pace.js';
import { cutText } from './tools/cut-text.js';
import { GlobPattern } from './tools/files/glob-pattern.js';
import { IgnoreFile } from './tools/files/ignore-file.js';
import { unifiedDiff } from './tools/text-diff.js';
import { htmlText } from './tools/web/html-text.js';

const base = new URL('https://example.test/');
const pace = new Pace();
const longName = 'a'.repeat(250);

const READERS: Readonly<Record<string, Reader>> = {
  'an envelope': (text) => envelope({ source: 'file a', ids: ['run_1'], text }),
  'the source of an envelope': (source) => envelope({ source, ids: ['run_1'], text: '' }),
  'plain text': plainText,
  'a line of a list': indentLines,
  'a tool result': (output) =>
    toolResultForModel({ runId: 'r', callId: 'c', tool: 'ask_user', outcome: 'ok', output }),
  'a page': (html) => htmlText(html, base),
  'an ignore file': (text) => new IgnoreFile(text).ignores(`src/${longName}.ts`, false, pace),
  'a path under an ignore file': (path) =>
    new IgnoreFile('*a*a*b\n**/a/**/b').ignores(path, true, pace),
  'a glob': (pattern) =>
    new GlobPattern(pattern.slice(0, 1_000)).matches(`${longName}/${longName}`),
  'a diff of new text': (text) => unifiedDiff('a', undefined, text),
  'a diff of changed text': (text) => unifiedDiff('a', text, text.slice(1)),
  'a long answer': (text) => cutText(text, 10_000),
};

describe('text of others that an agent reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
