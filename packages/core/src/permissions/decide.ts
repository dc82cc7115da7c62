/**
 * Decides whether a tool call may run. Pure and total: every request gets a decision, and the same request and policy get
 * the same one.
 *
 *   1. The data directory of the daemon, or a path that was not resolved        → deny
 *   2. a deny rule that matches                                                 → deny
 *   3. plan mode, and it is more than reading in the workspace                  → deny
 *   4. an ask rule that matches, or a deny or ask rule that could               → ask
 *   5. allow rules that match, for a script all of it                           → allow
 *      (below full, of a protected path only rules that name it explicitly)
 *   6. a change of a protected path, below full                                 → ask
 *   7. the mode:
 *                               plan     ask      auto-edit   full
 *        ask, speak             allow    allow    allow       allow
 *        read, inside           allow    allow    allow       allow
 *        edit, inside           deny     ask      allow       allow
 *        execute, fetch, other  deny     ask      ask         allow
 *        any path outside       deny     ask      ask         ask
 *
 *      A run that somebody else asked for is capped before it gets here (authority/ceiling.ts): its mode is at most
 *      ask, it has no allow rules, reading asks too if the workspace is not shared, and so does everything that reaches
 *      private data of the person the session works for (notes, background tasks).
 *
 * Plan mode comes before ask and allow rules, so that no rule can weaken it.
 */
import type { PermissionMode, PermissionRules } from '@stoa/protocol';
import { commandsOf, parseScript } from '@stoa/shell';
import { allowingRule, isForbidding, type RuleInput } from './matching.js';
import { isResolved, type PathRoots } from './path-pattern.js';
import { namesExplicitly, protectedNamesIn } from './protected-paths.js';
import type { ToolRequest } from './request.js';
import { type BrokenRule, parseRule, type Rule } from './rules.js';
import type { ShellReading } from './shell-rules.js';
import { suggestRule } from './suggest.js';

/** `parent`: of an ancestor of the session. `sender`: of a session that forwarded the request. */
type RuleSource = 'config' | 'parent' | 'sender' | 'agent' | 'workspace' | 'session';

export interface Policy extends PathRoots {
  readonly mode: PermissionMode;
  readonly rules: readonly {
    readonly source: RuleSource;
    readonly rules: PermissionRules;
    /** What its paths are relative to, if it is not the workspace of the policy. */
    readonly workspace?: string;
  }[];
  /** People who asked for this run and whom its session does not work for. */
  readonly requestedBy?: readonly string[];
  /** Reading in the workspace needs an approval: the people who asked may not read there themselves. */
  readonly readsAsk?: boolean;
}

export interface Decision {
  readonly outcome: 'allow' | 'ask' | 'deny';
  /** One line for people. */
  readonly reason: string;
  /** The rule that decided. */
  readonly rule?: string;
  /** The rule that an answer for more than once would add. */
  readonly suggestedRule?: string;
  /** The call only reads or edits in the workspace. */
  readonly staysInWorkspace?: true;
  /** The command could not be parsed. */
  readonly unparsable?: true;
}

export function decide(request: ToolRequest, policy: Policy): Decision {
  const reading = read(request);
  const input: RuleInput = { request, roots: policy, ...(reading && { reading }) };
  return {
    ...decideRead(input, policy),
    ...(staysInWorkspace(request) && !changesProtected(input) && { staysInWorkspace: true }),
    ...(reading === 'unparsable' && { unparsable: true }),
  };
}

function read({ subject }: ToolRequest): ShellReading | undefined {
  if (subject.type !== 'shell' && subject.type !== 'input') return undefined;
  const parsed = parseScript(subject.type === 'shell' ? subject.command : subject.text);
  return parsed.ok ? commandsOf(parsed.script) : 'unparsable';
}

function decideRead(input: RuleInput, policy: Policy): Decision {
  const { subject } = input.request;
  if (subject.type === 'path') {
    if (subject.insideHome) return deny('The data directory of Stoa is never open to agents');
    if (!isResolved(subject.path)) return deny('The path was not resolved');
  }
  const denying = firstForbidding(rulesOf(policy, 'deny'), input);
  if (denying?.likelihood === 'yes') return byRule('deny', denying);
  const mode = byMode(input.request, policy);
  if (policy.mode === 'plan' && mode.outcome !== 'allow') return mode;
  const asking = firstForbidding(rulesOf(policy, 'ask'), input);
  const asked = asking?.likelihood === 'yes' ? asking : (denying ?? asking);
  if (asked) return byRule('ask', asked);
  const isGuarded = policy.mode !== 'full' && changesProtected(input);
  const allow = rulesOf(policy, 'allow')
    .map(({ rule }) => rule)
    .filter((rule) => !isGuarded || isExplicit(rule, input));
  const allowing = allowingRule(allow, input);
  if (allowing)
    return { outcome: 'allow', reason: `Allowed by ${allowing.text}`, rule: allowing.text };
  if (isGuarded) return { outcome: 'ask', reason: 'It changes a protected path' };
  // Rules do not apply to requests of somebody else, so none is suggested.
  if (mode.outcome !== 'ask' || policy.requestedBy) return mode;
  const suggestedRule = suggestRule(input, allow);
  return suggestedRule === undefined ? mode : { ...mode, suggestedRule };
}

function changesProtected({ request, roots }: RuleInput): boolean {
  const { subject } = request;
  if (subject.type !== 'path' || effectOf(request) === 'read') return false;
  return subject.isProtected === true || protectedNamesIn(subject.path, roots).length > 0;
}

function isExplicit(rule: Rule | BrokenRule, { request: { subject }, roots }: RuleInput): boolean {
  if (!rule.ok || rule.pattern?.type !== 'path' || subject.type !== 'path') return false;
  return namesExplicitly(rule.pattern.pattern, subject.path, roots);
}

interface SourcedRule {
  readonly source: RuleSource;
  readonly rule: Rule | BrokenRule;
  readonly workspace: string;
}

interface ForbiddingRule extends SourcedRule {
  readonly likelihood: 'yes' | 'maybe';
}

function rulesOf(policy: Policy, name: keyof PermissionRules): readonly SourcedRule[] {
  return policy.rules.flatMap(({ source, rules, workspace = policy.workspace }) =>
    (rules[name] ?? []).map((text) => ({ source, workspace, rule: parseRule(text) })),
  );
}

/** The first rule that matches, or else the first that could. */
function firstForbidding(
  rules: readonly SourcedRule[],
  input: RuleInput,
): ForbiddingRule | undefined {
  let could: ForbiddingRule | undefined;
  for (const sourced of rules) {
    const { rule, workspace } = sourced;
    const likelihood = isForbidding(rule, { ...input, roots: { ...input.roots, workspace } });
    if (likelihood === 'yes') return { ...sourced, likelihood };
    if (likelihood === 'maybe') could ??= { ...sourced, likelihood };
  }
  return could;
}

function byRule(outcome: 'ask' | 'deny', { source, rule, likelihood }: ForbiddingRule): Decision {
  const how =
    outcome === 'deny' ? 'Denied by' : likelihood === 'yes' ? 'Asked for by' : 'Could match';
  const broken = rule.ok ? '' : `, a rule that is broken: ${rule.problem}`;
  return { outcome, reason: `${how} ${rule.text} (${source})${broken}`, rule: rule.text };
}

function deny(reason: string): Decision {
  return { outcome: 'deny', reason };
}

/** What a request does, independent of the name of its tool. */
type Effect = 'speak' | 'read' | 'edit' | 'act';

function effectOf({ kind, subject }: ToolRequest): Effect {
  if (subject.type !== 'path' && subject.type !== 'none') return 'act';
  switch (kind) {
    case 'ask':
    case 'speak':
      return subject.type === 'path' ? 'read' : 'speak';
    case 'read':
    case 'search':
      return 'read';
    case 'edit':
      // Without a path it could edit outside of the workspace.
      return subject.type === 'path' ? 'edit' : 'act';
    case 'execute':
    case 'fetch':
    case 'other':
      return 'act';
  }
}

function staysInWorkspace(request: ToolRequest): boolean {
  const effect = effectOf(request);
  if (effect === 'act') return false;
  return request.subject.type !== 'path' || request.subject.insideWorkspace;
}

function byMode(request: ToolRequest, { mode, requestedBy, readsAsk }: Policy): Decision {
  const effect = effectOf(request);
  if (requestedBy && request.subject.type === 'none' && request.subject.isPrivate === true) {
    const reason = `${requestedBy.join(', ')} asked for this, and it is private to the person this session works for`;
    return { outcome: 'ask', reason };
  }
  if (effect === 'speak') return { outcome: 'allow', reason: 'It only speaks' };
  const outside = request.subject.type === 'path' && !request.subject.insideWorkspace;
  if (outside) {
    if (mode === 'plan') return deny('Plan mode is on: nothing outside the workspace');
    return { outcome: 'ask', reason: 'It is outside the workspace' };
  }
  if (effect === 'read') {
    if (readsAsk !== true || request.subject.type !== 'path')
      return { outcome: 'allow', reason: 'It reads in the workspace' };
    const who = requestedBy?.join(', ') ?? 'somebody else';
    return { outcome: 'ask', reason: `${who} asked for this, and the workspace is not shared` };
  }
  switch (mode) {
    case 'plan':
      return deny('Plan mode is on: nothing but reading in the workspace');
    case 'full':
      return { outcome: 'allow', reason: 'Mode full allows it' };
    case 'auto-edit':
      if (effect === 'edit') return { outcome: 'allow', reason: 'Mode auto-edit allows edits' };
      return { outcome: 'ask', reason: 'Mode auto-edit asks before this' };
    case 'ask':
      if (requestedBy)
        return { outcome: 'ask', reason: `${requestedBy.join(', ')} asked for this` };
      return { outcome: 'ask', reason: 'Mode ask asks before this' };
  }
}
