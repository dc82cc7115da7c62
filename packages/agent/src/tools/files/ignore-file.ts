import { GlobPattern } from './glob-pattern.js';

interface IgnoreRule {
  readonly pattern: GlobPattern;
  readonly isNegated: boolean;
  readonly onlyDirectories: boolean;
}

/** The rules of one `.gitignore`, about paths below its directory. */
export class IgnoreFile {
  readonly #rules: readonly IgnoreRule[];

  constructor(text: string) {
    this.#rules = text.split('\n').flatMap(readRule);
  }

  /** The last rule that matches counts; undefined when none does. */
  ignores(path: string, isDirectory: boolean): boolean | undefined {
    for (let i = this.#rules.length - 1; i >= 0; i -= 1) {
      const rule = this.#rules[i];
      if (!rule || (rule.onlyDirectories && !isDirectory)) continue;
      if (rule.pattern.matches(path)) return !rule.isNegated;
    }
    return undefined;
  }
}

function readRule(line: string): IgnoreRule[] {
  let rule = line.replace(/(?<!\\)\s+$/, '');
  if (rule === '' || rule.startsWith('#')) return [];
  const isNegated = rule.startsWith('!');
  if (isNegated) rule = rule.slice(1);
  const onlyDirectories = rule.endsWith('/');
  if (onlyDirectories) rule = rule.slice(0, -1);
  const isAnchored = rule.includes('/');
  // Git knows no braces.
  const plain = rule.replace(/^\//, '').replace(/[{}]/g, '?');
  try {
    const pattern = new GlobPattern(isAnchored ? plain : `**/${plain}`);
    return [{ pattern, isNegated, onlyDirectories }];
  } catch {
    return [];
  }
}
