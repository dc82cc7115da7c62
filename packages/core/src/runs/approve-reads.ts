import type { Approval, DriverCapabilities } from '@stoa/protocol';
import {
  questionAbout,
  whoNeedsApproval,
  whyNotAllowed,
} from '../authority/reads-without-approval.js';
import { stableJson } from '../kernel/stable-json.js';
import { isSharedAgent } from '../sessions/create-session.js';
import { policyOf } from '../sessions/policy-of.js';
import type { OpenRunPorts } from './open-run.js';
import type { Claim } from './ownership.js';
import { RUN_NOT_ALLOWED, type RunEnd } from './run-end.js';
import type { RunJournal } from './run-journal.js';

/**
 * `unneeded`: nobody is asked; each read is decided on its own. `allowed`: the run may read in its workspace. Otherwise
 * the end of the run.
 */
export type ReadApproval = 'unneeded' | 'allowed' | RunEnd;

/**
 * Asks people before the driver gets a run that reads without approval for somebody else. A resumed run finds the same
 * question, with its answer if there is one.
 */
export async function approveReads(
  { context, approvals, configRules }: OpenRunPorts,
  claim: Claim,
  driver: DriverCapabilities,
  journal: RunJournal,
  signal: AbortSignal,
): Promise<ReadApproval> {
  if (driver.readsWithoutApproval !== true) return 'unneeded';
  const { sessionId, agentId, workspace, persona } = claim.session;
  const ports = { configRules, workspaces: context.workspaces };
  const policy = await context.storeWait.run(
    () => context.store.read(() => policyOf(ports, sessionId, claim.ceiling)),
    signal,
  );
  const isAgentShared = isSharedAgent(context, { agentId, definition: persona.definition });
  const strangers = whoNeedsApproval({ driver, policy, isAgentShared });
  if (!strangers) return 'unneeded';
  const isWorkspaceShared = context.workspaces.isShared(workspace);
  const { origin } = claim;
  const question = questionAbout({ agentId, workspace, origin, strangers, isWorkspaceShared });
  const inputHash = context.secrets.digest(stableJson(question.input));
  const asked = await journal.requestApproval({ kind: 'tool', ...question, inputHash });
  const approval =
    asked.state === 'pending'
      ? await approvals.settled(asked.approvalId, signal, () => 'Allow or deny it as it is')
      : asked;
  if (isAllowed(approval, inputHash)) return 'allowed';
  const message = whyNotAllowed({ agentId, strangers }, approval);
  return { type: 'failed', failure: { phase: 'start', code: RUN_NOT_ALLOWED, message } };
}

/** Allowed exactly as asked: with the same input, for the same people and workspace. */
const isAllowed = ({ state, inputHash, updatedInput }: Approval, asked: string): boolean =>
  state === 'allowed' && inputHash === asked && updatedInput === undefined;
