import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOKEN_LIMITS, tokensOf } from './search-tokens.js';

describe('tokens', () => {
  it.each([
    ['Kubectl apply -f ./Deploy.yaml', ['kubectl', 'apply', 'f', 'deploy', 'yaml']],
    ['ＫＵＢＥ ｶﾞ', ['kube', 'ガ']],
    ['naïve CAFÉ Straße', ['naïve', 'café', 'straße']],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδόσ']],
    ['soft\u00ADhyphen zero\u200Bwidth', ['softhyphen', 'zerowidth']],
    ['🚀 -- !? ""', []],
    ['Привет, мир', ['привет', 'мир']],
  ])('are the lower-cased words of %s', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
  });

  it.each([
    ['部署成功', ['部署', '署成', '成功', '功']],
    ['部', ['部']],
    ['用kubectl部署', ['用', 'kubectl', '部署', '署']],
    ['部署,成功。', ['部署', '署', '成功', '功']],
    ['データベース', ['デー', 'ータ', 'タベ', 'ベー', 'ース', 'ス']],
    ['배포 완료', ['배포', '포', '완료', '료']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['葛\u{E0100}城', ['葛城', '城']],
  ])('are pairs of characters where words are not spaced, as in %s', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
  });

  it('are bounded in number, length and repetition for any text', () => {
    const texts = [
      'a'.repeat(1_000_000),
      '部'.repeat(100_000),
      'word '.repeat(50_000),
      Array.from({ length: 50_000 }, (_, i) => `w${String(i)}`).join(' '),
      '\uFDFA'.repeat(TOKEN_LIMITS.textChars),
      Array.from({ length: 10_000 }, (_, i) => `${String(i)}${'x'.repeat(100)}`).join(' '),
    ];
    for (const text of texts) {
      const tokens = tokensOf(text);
      expect(tokens.length).toBeGreaterThan(0);
      expect(tokens.length).toBeLessThanOrEqual(TOKEN_LIMITS.tokens);
      expect(tokens.join('').length).toBeLessThanOrEqual(TOKEN_LIMITS.totalChars);
      expect(Math.max(...tokens.map((token) => token.length))).toBeLessThanOrEqual(
        TOKEN_LIMITS.tokenChars,
      );
      const counts = new Map<string, number>();
      for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
      expect(Math.max(...counts.values())).toBeLessThanOrEqual(TOKEN_LIMITS.repeats);
    }
  });

  it('contain letters, digits and marks only, never half a character', () => {
    const hold = (text: string): void => {
      expect(tokensOf(text).join('')).toMatch(/^[\p{L}\p{N}\p{M}]*$/u);
    };
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 100 }), hold));
    for (const before of ['', 'a', 'ab']) hold(before + '𐐀'.repeat(100));
  });
});
