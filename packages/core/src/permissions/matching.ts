import type { Command } from '@stoa/shell';
import { matchesHost } from './host-pattern.js';
import { matchesMcp } from './mcp-pattern.js';
import { covers, matchesPath, type Places } from './path-pattern.js';
import type { ToolRequest } from './request.js';
import { allowingNames, forbiddingNames } from './rule-names.js';
import type { BrokenRule, Rule, RulePattern } from './rules.js';
import type { Likelihood, ShellPattern } from './shell-pattern.js';
import { forbids, leftOver, type ShellReading } from './shell-rules.js';

/** A request with everything that rules are matched against. */
export interface Matter {
  readonly request: ToolRequest;
  readonly places: Places;
  /** What its command runs, if it has one. */
  readonly reading?: ShellReading;
}

/** Whether a deny or ask rule is about this. What cannot be told counts as a match. */
export function isForbidding(rule: Rule | BrokenRule, matter: Matter): Likelihood {
  if (rule.tool !== undefined && !forbiddingNames(matter.request).has(rule.tool)) return 'no';
  if (!rule.ok || !rule.pattern) return 'yes';
  const { subject } = matter.request;
  const { pattern } = rule;
  switch (pattern.type) {
    case 'shell':
      return matter.reading ? forbids(pattern.pattern, matter.reading) : 'yes';
    case 'path':
      if (subject.type !== 'path') return 'yes';
      return sure(covers(pattern.pattern, subject.path, matter.places) ?? true);
    case 'host':
      return sure(subject.type !== 'url' || matchesHost(pattern.pattern, subject.host));
    case 'mcp':
      return sure(subject.type !== 'mcp' || matchesMcp(pattern.pattern, subject));
  }
}

/** The first of the allow rules by which this may happen; for a script, one of those that together do. */
export function allowingRule(
  rules: readonly (Rule | BrokenRule)[],
  matter: Matter,
): Rule | undefined {
  const names = allowingNames(matter.request);
  const sound = rules.filter((rule): rule is Rule => rule.ok && names.has(rule.tool));
  if (matter.request.subject.type === 'shell') return allowingShellRule(sound, matter.reading);
  return sound.find((rule) => isAllowing(rule.pattern, matter));
}

function isAllowing(pattern: RulePattern | undefined, { request, places }: Matter): boolean {
  const { subject } = request;
  // Outside the workspace only a rule that names the place is about it.
  if (!pattern) return subject.type !== 'path' || subject.insideWorkspace;
  switch (pattern.type) {
    case 'shell':
      return false;
    case 'path':
      return subject.type === 'path' && !!matchesPath(pattern.pattern, subject.path, places);
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
