import { type Reader, slowReadings } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { parseSlash } from './channels/commands/parse-slash.js';
import { mentioned } from './channels/mentions.js';
import { plainText } from './kernel/plain-text.js';
import { topicsOf } from './memory/topics.js';
import { contentOf } from './observations/content.js';
import { Pattern } from './patterns/pattern.js';
import { parseRule } from './permissions/rules.js';
import { LineFilter } from './tasks/monitor/line-filter.js';
import { monitorHint } from './tasks/shell/monitor-hint.js';
import { sleepRefusal } from './tasks/shell/sleep-guard.js';
import { expertiseIn } from './turns/expertise.js';

const members = Array.from({ length: 50 }, (_, i) => ({
  memberId: `human:a${String(i)}`,
  displayName: `A ${String(i)}`,
}));
/** The maximum length of patterns in requests. Commands may be longer; each is parsed as a whole. */
const COMMAND_CHARS = 8_192;
const PATTERN_CHARS = 1_000;
const free = { spend: () => undefined };

const READERS: Readonly<Record<string, Reader>> = {
  'plain text': plainText,
  'a slash command': (text) => parseSlash(`/${text}`),
  'mentions in a message': (text) => mentioned(text, members),
  'words of expertise': (text) => expertiseIn(text, { expertiseTags: ['a', 'a b'], role: 'b c' }),
  'a line of a monitor': (text) => new Pattern('(a|b)*<.*x$').exec(text.slice(0, 2_000), free),
  'a pattern of a monitor': (text) => new Pattern(text.slice(0, PATTERN_CHARS)).exec('aaa', free),
  'the filter of a monitor': (text) => new LineFilter({ include: text.slice(0, PATTERN_CHARS) }),
  'a rule': (text) => parseRule(`Shell(${text.slice(0, PATTERN_CHARS)})`),
  'a command that may sleep': (text) => sleepRefusal(text.slice(0, COMMAND_CHARS)),
  'a command that may watch': (text) => monitorHint(text.slice(0, COMMAND_CHARS)),
  'an observation': (text) => contentOf(undefined, { text }),
  'the index of a memory': (text) =>
    topicsOf(
      {
        files: [
          { name: 'MEMORY.md', text },
          { name: 'a.md', text },
        ],
      } as never,
      'shared',
    ),
};

describe('text from outside that the domain reads', () => {
  it.each(Object.entries(READERS))(
    'SE-48 %s takes time in proportion to the text',
    async (_, read) => {
      expect(await slowReadings(read)).toEqual([]);
    },
  );
});
