import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { AnswerApproval, Approval } from '@stoa/protocol';
import { printableLine } from '../terminal/printable.js';

const ONCE = 'allow_once' as const;
const ALWAYS = 'allow_always' as const;
const REJECT = 'reject_once' as const;

/** What a person can choose in the editor; empty where it wants words of their own. */
export function permissionOptions(approval: Approval): PermissionOption[] {
  const { kind, suggestedRule, options = [] } = approval;
  if (kind === 'question') {
    if (options.length === 0) return [];
    return [
      ...options.map(({ label }, index) => ({
        optionId: `answer_${index}`,
        name: printableLine(label),
        kind: ONCE,
      })),
      { optionId: REJECT, name: 'Do not answer', kind: REJECT },
    ];
  }
  const always: PermissionOption[] =
    suggestedRule === undefined
      ? []
      : [
          {
            optionId: ALWAYS,
            name: `Always allow in this session: ${printableLine(suggestedRule)}`,
            kind: ALWAYS,
          },
        ];
  return [
    { optionId: ONCE, name: 'Allow once', kind: ONCE },
    ...always,
    { optionId: REJECT, name: 'Reject', kind: REJECT },
  ];
}

/** Undefined: nobody chose, because the turn was called off. */
export function answerOf(
  approval: Approval,
  { outcome }: RequestPermissionResponse,
): AnswerApproval | undefined {
  if (outcome.outcome === 'cancelled') return undefined;
  const { inputHash, options = [] } = approval;
  switch (outcome.optionId) {
    case ONCE:
      return { decision: 'allow', scope: 'once', inputHash };
    case ALWAYS:
      return { decision: 'allow', scope: 'session', inputHash };
    default: {
      const [, index] = /^answer_(\d+)$/.exec(outcome.optionId) ?? [];
      const chosen = index === undefined ? undefined : options[Number(index)];
      // What was never offered is no consent.
      return chosen ? { decision: 'answer', answer: chosen.label } : { decision: 'deny' };
    }
  }
}
