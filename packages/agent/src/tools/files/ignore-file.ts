import type { Pace } from '../../pace.js';
import { GlobPattern } from './glob-pattern.js';

interface IgnoreRule {
  readonly pattern: GlobPattern;
  readonly isNegated: boolean;
  readonly onlyDirectories: boolean;
  /** A rule without a slash matches names in any directory. */
  readonly isAboutName: boolean;
  readonly chars: number;
}

/** Limit for one file: more than a project needs, and few enough rules to match every path against. */
export const IGNORE_BYTES = 64 * 1024;
export const IGNORE_RULES = 2_000;
/** A longer rule is skipped. */
const RULE_CHARS = 1_024;
/** Characters of rules that are matched before the clock is checked. */
const STRIDE_CHARS = 2_048;

/** The rules of one `.gitignore`, for paths below its directory. */
export class IgnoreFile {
  readonly #rules: readonly IgnoreRule[];
  /** Whether the file is longer than the limit. */
  readonly isCut: boolean;

  constructor(text: string, isCut = false) {
    const rules = text.split('\n').flatMap(readRule);
    this.#rules = rules.slice(0, IGNORE_RULES);
    this.isCut = isCut || rules.length > IGNORE_RULES;
  }

  /** The last matching rule applies; undefined if none matches. */
  async ignores(path: string, isDirectory: boolean, pace: Pace): Promise<boolean | undefined> {
    const names = path.split('/');
    const name = names.slice(-1);
    let chars = 0;
    for (let i = this.#rules.length - 1; i >= 0; i -= 1) {
      const rule = this.#rules[i];
      if (!rule || (rule.onlyDirectories && !isDirectory)) continue;
      if (rule.pattern.matchesNames(rule.isAboutName ? name : names)) return !rule.isNegated;
      chars += rule.chars;
      if (chars < STRIDE_CHARS) continue;
      chars = 0;
      if (pace.isDue) await pace.rest();
    }
    return undefined;
  }
}

function readRule(line: string): IgnoreRule[] {
  let rule = trimRule(line);
  if (rule === '' || rule.startsWith('#') || rule.length > RULE_CHARS) return [];
  const isNegated = rule.startsWith('!');
  if (isNegated) rule = rule.slice(1);
  const onlyDirectories = rule.endsWith('/');
  if (onlyDirectories) rule = rule.slice(0, -1);
  const isAboutName = !rule.includes('/');
  // Git has no braces, and `a/**` matches paths below `a`, not `a` itself.
  const plain = rule
    .replace(/^\//, '')
    .replace(/[{}]/g, '?')
    .replace(/\/\*\*$/, '/**/*');
  const pattern = new GlobPattern(plain);
  return [{ pattern, isNegated, onlyDirectories, isAboutName, chars: plain.length }];
}

/** A blank after a backslash belongs to the rule. */
function trimRule(line: string): string {
  const rule = line.trimEnd();
  return rule.endsWith('\\') ? line.slice(0, rule.length + 1) : rule;
}
