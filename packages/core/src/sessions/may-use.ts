import { type PermissionRules, type Principal, StoaError } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { decide } from '../permissions/decide.js';
import type { ToolRequest } from '../permissions/request.js';
import { policyOf } from './policy-of.js';

/**
 * Whether a session may use a tool right away that touches nothing of the machine. Where people would
 * have to be asked it may not: outside a run there is nobody to wait for the answer.
 */
export async function assertMayUse(
  store: Store,
  configRules: PermissionRules,
  by: Principal,
  asked: Pick<ToolRequest, 'tool' | 'kind'>,
): Promise<void> {
  if (by.kind !== 'session') return;
  const policy = await store.read(() => policyOf(by.id, configRules));
  const request: ToolRequest = { ...asked, subject: { type: 'none' } };
  const { outcome, reason } = decide(request, { ...policy, workspace: '/' });
  if (outcome !== 'allow') throw new StoaError('forbidden', `Not permitted: ${reason}`);
}
