import type { PermissionDecision, PermissionPolicy, PermissionRequest } from '@stoa/core';
import type { Place } from './paths.js';
import type { Subject, Tool } from './tool.js';

export type Decide = (request: PermissionRequest, policy: PermissionPolicy) => PermissionDecision;

export interface Judgement {
  readonly outcome: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** The rule that "always" would add; none when the call needs more than one. */
  readonly suggestedRule?: string;
  /** It reads or edits in the workspace and does nothing else. */
  readonly staysInWorkspace: boolean;
  /** Commands the parser could make nothing of. */
  readonly unparsable: readonly string[];
}

interface Question {
  readonly tool: Pick<Tool, 'name' | 'kind'>;
  readonly subjects: readonly Subject[];
  readonly policy: PermissionPolicy;
  readonly place: (given: string) => Place;
}

/**
 * Whether what lies below a directory that was decided about may be looked at with it: rules that name
 * it count, though nobody named it in the call.
 */
export function isOpen(
  decide: Decide,
  tool: Tool,
  policy: PermissionPolicy,
  place: Pick<Place, 'path' | 'insideWorkspace'>,
): boolean {
  const subject = { type: 'path' as const, insideHome: false, ...place };
  const { outcome, rule } = decide({ tool: tool.name, kind: tool.kind, subject }, policy);
  return outcome === 'allow' || (outcome === 'ask' && rule === undefined);
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** The strictest answer to any of the subjects is the answer to the call. */
export function judge(decide: Decide, { tool, subjects, policy, place }: Question): Judgement {
  const unparsable: string[] = [];
  const decisions = subjects.map((subject): PermissionDecision => {
    if (subject.type !== 'path') {
      const decision = decide({ tool: tool.name, kind: tool.kind, subject }, policy);
      if (decision.unparsable === true && subject.type === 'shell')
        unparsable.push(subject.command);
      return decision;
    }
    const { refusal, given, ...located } = place(subject.path);
    if (refusal !== undefined) return { outcome: 'deny', reason: `${given}: ${refusal}` };
    const request = { type: 'path' as const, ...located };
    return decide({ tool: tool.name, kind: tool.kind, subject: request }, policy);
  });
  const strictest = decisions.reduce<PermissionDecision | undefined>(
    (worst, one) => (worst && STRICTNESS[worst.outcome] >= STRICTNESS[one.outcome] ? worst : one),
    undefined,
  );
  if (!strictest)
    return {
      outcome: 'ask',
      reason: `${tool.name} names no subject`,
      staysInWorkspace: false,
      unparsable,
    };
  const { outcome, reason } = strictest;
  const asked = decisions.filter((one) => one.outcome === 'ask');
  const rules = new Set(asked.map((one) => one.suggestedRule));
  const [rule] = rules;
  return {
    outcome,
    reason,
    staysInWorkspace: decisions.every((one) => one.staysInWorkspace === true),
    unparsable,
    ...(rules.size === 1 && rule !== undefined ? { suggestedRule: rule } : {}),
  };
}
