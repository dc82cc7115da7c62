import { LIMITS } from '@stoa/protocol';
import type { Command } from '@stoa/shell';
import { plainHost } from './host-pattern.js';
import { allowingRule, notAllowed, type RuleInput } from './matching.js';
import { patternFor } from './path-pattern.js';
import { allowingNames, isBySubject, ruleNameOf } from './rule-names.js';
import { type BrokenRule, parseRule, type Rule } from './rules.js';

/** Commands that change the shell, and thereby every later command of a script. */
const CHANGING_THE_SHELL: ReadonlySet<string> = new Set([
  ...['cd', 'chdir', 'pushd', 'popd', 'set', 'shopt', 'exec', 'source', '.', 'umask', 'ulimit'],
]);

/**
 * The narrowest rule that would have allowed the call: for a command, exactly that command. Undefined if no single rule would
 * allow it.
 */
export function suggestRule(
  input: RuleInput,
  allow: readonly (Rule | BrokenRule)[],
): string | undefined {
  const text = candidate(input, allow);
  if (text === undefined || text.length > LIMITS.ruleChars) return undefined;
  const suffices = allowingRule([...allow, parseRule(text)], input) !== undefined;
  return suffices ? text : undefined;
}

function candidate(
  { request, roots, reading }: RuleInput,
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
      return `${allowingNames(request).has('Edit') ? 'Edit' : 'Read'}(${patternFor(subject.path, roots)})`;
    case 'url':
      return `Fetch(domain:${plainHost(subject.host)})`;
    case 'mcp':
      return `Mcp(${subject.server}:${subject.tool})`;
    case 'input':
      return undefined;
    case 'none': {
      const name = ruleNameOf(tool);
      // A rule for all uses of such a tool would be too broad.
      return isBySubject(name) ? undefined : name;
    }
  }
}

function isFor(tool: string, name: 'Shell' | 'Monitor'): boolean {
  return tool === 'Shell' || tool === name;
}

/**
 * Exactly the words of the command. A star would also allow options that write or execute, and files outside of the
 * workspace.
 */
function patternOf({ argv }: Command): string | undefined {
  const words = argv.map((argument) => (argument.type === 'fixed' ? argument.text : undefined));
  const fixed = words.filter((word) => word !== undefined);
  const [name] = fixed;
  if (name === undefined || fixed.length < words.length) return undefined;
  return CHANGING_THE_SHELL.has(name) ? undefined : fixed.map(quotePattern).join(' ');
}

function quotePattern(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return word.replaceAll(/[\s\\'"*]/g, '\\$&');
}
