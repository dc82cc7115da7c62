import { type Reader, slowReadings } from '@stoa/testkit/hostile';
import { describe, expect, it } from 'vitest';
import { diffLines, isDiff } from './approvals/diff-lines.js';
import { mentionAt } from './composer/mention.js';
import { firstLineOf, plainText } from './message/plain-text.js';
import { safeUrl } from './message/safe-url.js';
import { snippetOf } from './palette/snippet.js';
import { TerminalText } from './tasks/terminal-text.js';
import { visibleText } from './ui/visible-text.js';

const READERS: Readonly<Record<string, Reader>> = {
  'the output of a command': (text) => new TerminalText().write(text),
  'the output of a command in pieces': (text) => {
    const terminal = new TerminalText();
    for (let at = 0; at < text.length; at += 4_000) terminal.write(text.slice(at, at + 4_000));
  },
  'Markdown as plain text': plainText,
  'the first line of Markdown': firstLineOf,
  'what was searched for': (text) => snippetOf(plainText(text), 'a b'),
  'an address': safeUrl,
  'a diff': (text) => isDiff(text) && diffLines(text),
  'the lines of a diff': diffLines,
  'invisible characters': visibleText,
  'a mention that is typed': (text) => mentionAt(text, text.length),
};

describe('text of others that the page reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
