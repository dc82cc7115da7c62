import { type Principal, StoaError, SYSTEM } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { decide, type Policy } from '../permissions/decide.js';
import type { ToolRequest } from '../permissions/request.js';
import { currentCeiling } from './ceiling-of.js';
import { type PolicyPorts, policyOf } from './policy-of.js';
import { sessionToRead } from './session-gate.js';

/**
 * Throws unless a session may use a tool that does not touch the machine, without an approval. Outside of a run nothing can
 * wait for an answer, so a tool that needs an approval is refused.
 */
export async function assertMayUse(
  store: Store,
  ports: PolicyPorts,
  by: Principal,
  asked: Pick<ToolRequest, 'tool' | 'kind'>,
): Promise<void> {
  if (by.kind !== 'session') return;
  const policy = await store.read(function* () {
    const session = yield* sessionToRead(SYSTEM, by.id);
    return yield* policyOf(ports, by.id, yield* currentCeiling(session));
  });
  const { outcome, reason } = decideWithoutSubject(asked, policy);
  if (outcome !== 'allow') throw new StoaError('forbidden', `Not permitted: ${reason}`);
}

/** The tool that publishes an answer. The same rules apply to the final text of an agent. */
const SPEAK = { tool: 'emit_output', kind: 'speak' } as const;

/** Whether an agent may publish an answer in a channel without an approval. */
export const maySpeakWithoutApproval = (policy: Policy): boolean =>
  decideWithoutSubject(SPEAK, policy).outcome === 'allow';

const decideWithoutSubject = (asked: Pick<ToolRequest, 'tool' | 'kind'>, policy: Policy) =>
  decide({ ...asked, subject: { type: 'none' } }, { ...policy, workspace: '/' });
