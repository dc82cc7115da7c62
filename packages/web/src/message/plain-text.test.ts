import { describe, expect, it } from 'vitest';
import { firstLineOf, plainText } from './plain-text.js';

describe('Markdown as plain text', () => {
  it('has no marks of emphasis, links or addresses', () => {
    expect(plainText('hello there **edited**')).toBe('hello there edited');
    expect(plainText('_so_ ***very*** ~~not~~ **a *b* c**')).toBe('so very not a b c');
    expect(plainText('see [the plan](https://a.example/x "t") and <https://b.example>')).toBe(
      'see the plan and https://b.example',
    );
    expect(plainText('![a cat](https://a.example/cat.png)')).toBe('a cat');
  });

  it('has no marks at the beginning of lines', () => {
    expect(plainText('## Plan\n\n> - [x] done\n> 1. next\n\n---\nend')).toBe(
      'Plan\n\ndone\nnext\n\n\nend',
    );
  });

  it('keeps what is in code, and what only looks like a mark', () => {
    expect(plainText('run `a * b * c`, then `` x`y ``')).toBe('run a * b * c, then  x`y ');
    expect(plainText('```ts\nconst _a_ = 1;\n```\nso')).toBe('const _a_ = 1;\nso');
    expect(plainText('```\nnever closed **x**')).toBe('never closed **x**');
    expect(plainText('snake_case_name, 2 * 3 * 4, #1, a > b, 5) no')).toBe(
      'snake_case_name, 2 * 3 * 4, #1, a > b, 5) no',
    );
    expect(plainText('\\*not\\* this')).toBe('*not* this');
  });

  it('has a first line that says something, or none', () => {
    expect(firstLineOf('---\n\n# **Plan**\n\nfor today')).toBe('Plan');
    expect(firstLineOf('  \n')).toBeUndefined();
    expect(firstLineOf('x'.repeat(5_000))).toHaveLength(200);
  });

  it('takes no longer for what is long', () => {
    const started = performance.now();
    for (const text of ['*a ', '[a', '`a', '_a _', '> ', '**a*']) plainText(text.repeat(10_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
