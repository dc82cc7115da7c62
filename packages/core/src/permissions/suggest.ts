import { LIMITS } from '@stoa/protocol';
import { plainHost } from './host-pattern.js';
import { allowingRule, type Matter, notAllowed } from './matching.js';
import { patternFor } from './path-pattern.js';
import { allowingNames, isBySubject, ruleNameOf } from './rule-names.js';
import { type BrokenRule, parseRule, type Rule } from './rules.js';
import type { Command } from './shell/commands-of.js';

/** They read and print, whatever they are given. */
const READING: ReadonlySet<string> = new Set([
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'rg', 'stat', 'file', 'du', 'df', 'pwd', 'which'],
  ...['basename', 'dirname', 'realpath', 'readlink', 'cut', 'sort', 'uniq', 'diff', 'cmp', 'tree'],
  ...['echo', 'printf', 'date', 'uname', 'whoami', 'id', 'jq', 'nl', 'tac', 'rev', 'tr', 'fold'],
]);

/** Subcommands that are of the same kind whatever follows them. */
const STEADY: Readonly<Record<string, readonly string[]>> = {
  git: [
    ...['status', 'diff', 'log', 'show', 'blame', 'rev-parse', 'ls-files', 'ls-tree', 'describe'],
    ...['shortlog', 'grep', 'add', 'merge-base', 'cat-file', 'rev-list'],
  ],
  npm: ['test', 'ls', 'outdated', 'view'],
  cargo: ['build', 'check', 'test', 'clippy', 'fmt', 'doc'],
  go: ['build', 'test', 'vet', 'fmt', 'list', 'doc'],
};

/** Programs whose `run` names a script of the project. */
const RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/**
 * The narrowest rule that is of any use the next time, and that would have allowed this; nothing
 * where no rule would, or where it would take several.
 */
export function suggestRule(
  matter: Matter,
  allow: readonly (Rule | BrokenRule)[],
): string | undefined {
  const text = candidate(matter, allow);
  if (text === undefined || text.length > LIMITS.ruleChars) return undefined;
  const suffices = allowingRule([...allow, parseRule(text)], matter) !== undefined;
  return suffices ? text : undefined;
}

function candidate(
  { request, places, reading }: Matter,
  allow: readonly (Rule | BrokenRule)[],
): string | undefined {
  const { tool, subject } = request;
  switch (subject.type) {
    case 'shell': {
      if (reading === undefined || reading === 'unparsable') return undefined;
      const name = tool === 'monitor' ? 'Monitor' : 'Shell';
      const known = allow.filter((rule): rule is Rule => rule.ok && isFor(rule.tool, name));
      const patterns = new Set(notAllowed(known, reading).map(patternOf));
      const [pattern, ...more] = patterns;
      return pattern === undefined || more.length > 0 ? undefined : `${name}(${pattern})`;
    }
    case 'path':
      return `${allowingNames(request).has('Edit') ? 'Edit' : 'Read'}(${patternFor(subject.path, places)})`;
    case 'url':
      return `Fetch(domain:${plainHost(subject.host)})`;
    case 'mcp':
      return `Mcp(${subject.server}:${subject.tool})`;
    case 'input':
      return undefined;
    case 'none': {
      const name = ruleNameOf(tool);
      // A tool of which single uses can be told apart is not opened for all of them.
      return isBySubject(name) ? undefined : name;
    }
  }
}

function isFor(tool: string, name: 'Shell' | 'Monitor'): boolean {
  return tool === 'Shell' || tool === name;
}

function patternOf({ argv }: Command): string | undefined {
  const words: string[] = [];
  for (const argument of argv) {
    if (argument.type === 'fixed') words.push(argument.text);
    // Behind words that are steady it does not matter what is not known.
    else if (words.length > 0 && steadyWords(words) > 0 && steadyWords(words) <= words.length)
      break;
    else return undefined;
  }
  const [name] = words;
  if (name === undefined) return undefined;
  const steady = steadyWords(words);
  if (steady > 0) return `${words.slice(0, steady).map(quotePattern).join(' ')} *`;
  return words.length === argv.length ? words.map(quotePattern).join(' ') : undefined;
}

/** How many of the first words say what kind of command it is; none if only all of them do. */
function steadyWords([name = '', subcommand = '', script]: readonly string[]): number {
  if (READING.has(name)) return 1;
  if (Object.hasOwn(STEADY, name) && STEADY[name]?.includes(subcommand)) return 2;
  if (RUNNERS.has(name) && subcommand === 'run' && script && !script.startsWith('-')) return 3;
  return 0;
}

function quotePattern(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return word.replaceAll(/[\s\\'"*]/g, '\\$&');
}
