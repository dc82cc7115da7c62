import type { PermissionRules } from '@stoa/protocol';
import { parseHostPattern } from './host-pattern.js';
import { type McpPattern, parseMcpPattern } from './mcp-pattern.js';
import { type PathPattern, parsePathPattern } from './path-pattern.js';
import { ruleNameOf } from './rule-names.js';
import { parseShellPattern, type ShellPattern } from './shell-pattern.js';
import type { Wildcard } from './wildcard.js';

export type RulePattern =
  | { readonly type: 'shell'; readonly pattern: ShellPattern }
  | { readonly type: 'path'; readonly pattern: PathPattern }
  | { readonly type: 'host'; readonly pattern: Wildcard }
  | { readonly type: 'mcp'; readonly pattern: McpPattern };

/** `Tool` or `Tool(pattern)`. */
export interface Rule {
  readonly ok: true;
  readonly text: string;
  readonly tool: string;
  /** Without a pattern it applies to every use of the tool. */
  readonly pattern?: RulePattern;
}

/**
 * A rule that cannot be parsed. It fails closed: a deny or ask rule applies to every use of the tool it names, or to every tool
 * if it names none; an allow rule applies to nothing.
 */
export interface BrokenRule {
  readonly ok: false;
  readonly text: string;
  readonly tool?: string;
  readonly problem: string;
}

/** Total: text that is no rule becomes a broken rule. */
export function parseRule(text: string): Rule | BrokenRule {
  const [, tool, inside] = /^([A-Z][A-Za-z0-9]*)(?:\((.*)\))?$/s.exec(text) ?? [];
  if (tool === undefined) {
    const named = /[A-Za-z][\w-]*/.exec(text)?.[0];
    const problem = 'a rule is Tool or Tool(pattern), with the name of the tool as in SendMessage';
    return { ok: false, text, problem, ...(named && { tool: ruleNameOf(named) }) };
  }
  if (inside === undefined) return { ok: true, text, tool };
  const pattern = parsePattern(tool, inside);
  if ('problem' in pattern) return { ok: false, text, tool, problem: pattern.problem };
  return { ok: true, text, tool, pattern };
}

function parsePattern(tool: string, text: string): RulePattern | { readonly problem: string } {
  switch (tool) {
    case 'Shell':
    case 'Monitor':
      return typed('shell', parseShellPattern(text));
    case 'Read':
    case 'Edit':
      return typed('path', parsePathPattern(text));
    case 'Fetch':
      return typed('host', parseHostPattern(text));
    case 'Mcp':
      return typed('mcp', parseMcpPattern(text));
    default:
      return { problem: `rules for ${tool} take no pattern` };
  }
}

function typed<Type extends string, Pattern extends object>(
  type: Type,
  pattern: Pattern | { readonly problem: string },
): { readonly type: Type; readonly pattern: Pattern } | { readonly problem: string } {
  return 'problem' in pattern ? pattern : { type, pattern };
}

const CLASSES = ['deny', 'ask', 'allow'] as const;
type RuleClass = (typeof CLASSES)[number];

/** The rules of both, in order and without duplicates. */
export function extendRules(a: PermissionRules, b: PermissionRules): PermissionRules {
  const extended: { [Class in RuleClass]?: string[] } = {};
  for (const name of CLASSES) {
    if (a[name] || b[name]) extended[name] = [...new Set([...(a[name] ?? []), ...(b[name] ?? [])])];
  }
  return extended;
}

export interface RuleProblem {
  readonly rule: string;
  readonly problem: string;
}

/** The problems of a set of rules, for their author. */
export function problemsOf(rules: PermissionRules): readonly RuleProblem[] {
  return CLASSES.flatMap((name) => rules[name] ?? [])
    .map(parseRule)
    .flatMap((rule) => (rule.ok ? [] : [{ rule: rule.text, problem: rule.problem }]));
}
