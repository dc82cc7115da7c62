import type { Command } from '@stoa/shell';
import { matchesHost } from './host-pattern.js';
import { matchesMcp } from './mcp-pattern.js';
import { covers, matchesPath, type PathRoots } from './path-pattern.js';
import type { ToolRequest } from './request.js';
import { allowingNames, forbiddingNames } from './rule-names.js';
import type { BrokenRule, Rule, RulePattern } from './rules.js';
import type { Likelihood, ShellPattern } from './shell-pattern.js';
import { forbids, leftOver, type ShellReading } from './shell-rules.js';

/** What rules are matched against. */
export interface RuleInput {
  readonly request: ToolRequest;
  readonly roots: PathRoots;
  /** The commands of its script, if it has one. */
  readonly reading?: ShellReading;
}

/** Whether a deny or ask rule matches. If it cannot be decided, it counts as a match. */
export function isForbidding(rule: Rule | BrokenRule, input: RuleInput): Likelihood {
  if (rule.tool !== undefined && !forbiddingNames(input.request).has(rule.tool)) return 'no';
  if (!rule.ok || !rule.pattern) return 'yes';
  const { subject } = input.request;
  const { pattern } = rule;
  switch (pattern.type) {
    case 'shell':
      return input.reading ? forbids(pattern.pattern, input.reading) : 'yes';
    case 'path':
      if (subject.type !== 'path') return 'yes';
      return sure(covers(pattern.pattern, subject.path, input.roots) ?? true);
    case 'host':
      return sure(subject.type !== 'url' || matchesHost(pattern.pattern, subject.host));
    case 'mcp':
      return sure(subject.type !== 'mcp' || matchesMcp(pattern.pattern, subject));
  }
}

/** The first allow rule that matches; for a script, one of the rules that together allow it. */
export function allowingRule(
  rules: readonly (Rule | BrokenRule)[],
  input: RuleInput,
): Rule | undefined {
  const names = allowingNames(input.request);
  const sound = rules.filter((rule): rule is Rule => rule.ok && names.has(rule.tool));
  if (input.request.subject.type === 'shell') return allowingShellRule(sound, input.reading);
  return sound.find((rule) => isAllowing(rule.pattern, input));
}

function isAllowing(pattern: RulePattern | undefined, { request, roots }: RuleInput): boolean {
  const { subject } = request;
  // Outside of the workspace, only a rule with a matching pattern applies.
  if (!pattern) return subject.type !== 'path' || subject.insideWorkspace;
  switch (pattern.type) {
    case 'shell':
      return false;
    case 'path':
      return subject.type === 'path' && !!matchesPath(pattern.pattern, subject.path, roots);
    case 'host':
      return subject.type === 'url' && matchesHost(pattern.pattern, subject.host);
    case 'mcp':
      return subject.type === 'mcp' && matchesMcp(pattern.pattern, subject);
  }
}

function allowingShellRule(
  rules: readonly Rule[],
  reading: ShellReading | undefined,
): Rule | undefined {
  if (reading === undefined || reading === 'unparsable' || reading.length === 0) return undefined;
  if (notAllowed(rules, reading).length > 0) return undefined;
  const [first] = reading;
  return rules.find((rule) => first && leftOver([patternOf(rule)], [first]).length === 0);
}

/** The commands of a script that no rule allows yet. */
export function notAllowed(
  rules: readonly Rule[],
  reading: readonly Command[],
): readonly Command[] {
  return leftOver(rules.map(patternOf), reading);
}

function patternOf({ pattern }: Rule): ShellPattern {
  return pattern?.type === 'shell' ? pattern.pattern : { words: [], open: true };
}

function sure(matches: boolean): Likelihood {
  return matches ? 'yes' : 'no';
}
