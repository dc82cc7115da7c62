import type { PermissionDecision, PermissionPolicy, PermissionRequest } from '@stoa/core';
import type { LocatedPath } from './paths.js';
import type { Subject, Tool } from './tool.js';

export type Decide = (request: PermissionRequest, policy: PermissionPolicy) => PermissionDecision;

export interface Judgement {
  readonly outcome: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** The rule that "always" would add; undefined if the call needs several. */
  readonly suggestedRule?: string;
  /** It only reads or edits files in the workspace. */
  readonly staysInWorkspace: boolean;
  /** Commands that could not be parsed. */
  readonly unparsable: readonly string[];
}

interface Question {
  readonly tool: Pick<Tool, 'name' | 'kind'>;
  readonly subjects: readonly Subject[];
  readonly policy: PermissionPolicy;
  readonly located: (given: string) => LocatedPath;
}

/** Whether a file below a permitted directory may be shown: rules that match the file itself apply too. */
export function mayShow(
  decide: Decide,
  tool: Tool,
  policy: PermissionPolicy,
  file: Pick<LocatedPath, 'path' | 'insideWorkspace'>,
): boolean {
  const subject = { type: 'path' as const, insideHome: false, ...file };
  const { outcome, rule } = decide({ tool: tool.name, kind: tool.kind, subject }, policy);
  return outcome === 'allow' || (outcome === 'ask' && rule === undefined);
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** The strictest decision about any subject applies to the call. */
export function judge(decide: Decide, { tool, subjects, policy, located }: Question): Judgement {
  const unparsable: string[] = [];
  const decisions = subjects.map((subject): PermissionDecision => {
    if (subject.type !== 'path') {
      const decision = decide({ tool: tool.name, kind: tool.kind, subject }, policy);
      const isUnparsable = decision.unparsable === true && subject.type === 'shell';
      if (isUnparsable) unparsable.push(subject.command);
      return decision;
    }
    const { refusal, given, ...file } = located(subject.path);
    if (refusal !== undefined) return { outcome: 'deny', reason: `${given}: ${refusal}` };
    const request = { type: 'path' as const, ...file };
    return decide({ tool: tool.name, kind: tool.kind, subject: request }, policy);
  });
  const strictest = decisions.reduce<PermissionDecision | undefined>(
    (worst, one) => (worst && STRICTNESS[worst.outcome] >= STRICTNESS[one.outcome] ? worst : one),
    undefined,
  );
  if (!strictest) {
    const reason = `${tool.name} names no subject`;
    return { outcome: 'ask', reason, staysInWorkspace: false, unparsable };
  }
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
