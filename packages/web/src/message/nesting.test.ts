import { expect, it } from 'vitest';
import { isTooNested } from './nesting.js';

it.each([
  '> ',
  '- ',
  '1. ',
  '* ',
  '[',
  '*a',
  '*a_',
  '![',
  '**a*',
  '- a\n',
  '~~a',
  '[a]: b\n',
  '> - ',
])('SE-50 %j again and again is nested too deeply', (fragment) => {
  expect(isTooNested(fragment.repeat(20_000))).toBe(true);
});

it('SE-50 a list that is indented ever further is nested too deeply', () => {
  const list = Array.from({ length: 200 }, (_, level) => `${'  '.repeat(level)}- a`);
  expect(isTooNested(list.join('\n'))).toBe(true);
});

it('lets pass what people and agents write', () => {
  const section = `## Plan

> - [x] **done**, see [the notes](https://example.test/a_b) and \`a * b\`
>   - one more

| a | b |
| - | - |
| *1* | _2_ |

\`\`\`ts
const a = b[c] * d[e]; // ${'x'.repeat(60)}
\`\`\`

- - - - - - - - - -

`;
  expect(isTooNested(section.repeat(150))).toBe(false);
  expect(isTooNested('word '.repeat(13_000))).toBe(false);
  expect(isTooNested('')).toBe(false);
});

it('does not count marks in code, and is not deceived by a fence in HTML', () => {
  const code = `\`\`\`bash\n${'<'.repeat(20_000)}\n\`\`\``;
  expect(isTooNested(code)).toBe(false);
  expect(isTooNested(`${code}\n${'*a'.repeat(20_000)}`)).toBe(true);
  expect(isTooNested(`<div>\n\`\`\`\n\n${'*a'.repeat(20_000)}`)).toBe(true);
  expect(isTooNested(`- a\n  \`\`\`\nb ${'*a'.repeat(20_000)}`)).toBe(true);
  expect(isTooNested(`~~~\r~~~\r${'*a'.repeat(20_000)}`)).toBe(true);
  expect(isTooNested(`\`\`\` \`\n${'*a'.repeat(20_000)}`)).toBe(true);
});
