import type { WorkKind } from '@stoa/protocol';
import { listItemsOfRun } from '@stoa/store';
import { agentIdentity } from '../agents/identity.js';
import type { Approvals } from '../approvals/approvals.js';
import { recallAll } from '../memory/recall-all.js';
import { viewOf } from '../memory/view.js';
import type { Policy } from '../permissions/decide.js';
import type { SessionContext } from '../sessions/context.js';
import { maySpeakWithoutApproval } from '../sessions/may-use.js';
import { type PolicyPorts, policyOf } from '../sessions/policy-of.js';
import { itemRecord } from '../sessions/records.js';
import { requestedIn } from '../sessions/run-facts.js';
import { type ChannelDrafts, draftedRun } from './channel-drafts.js';
import type { Drafts } from './drafts.js';
import type { RunContext } from './driver.js';
import type { Claim } from './ownership.js';
import { type ActingRun, RUN_ACTIONS, type RunActions } from './run-actions.js';
import type { RunActivity } from './run-activity.js';
import type { RunJournal } from './run-journal.js';
import { readTranscript } from './transcript.js';

export interface OpenRunPorts {
  readonly context: SessionContext;
  readonly approvals: Approvals;
  readonly drafts: Drafts;
  readonly channelDrafts: ChannelDrafts;
  readonly configRules: PolicyPorts['configRules'];
}

interface RunPorts extends OpenRunPorts {
  /** A person allowed this run to read in its workspace, no matter who asked for it. */
  readonly mayRead?: boolean;
}

/** Builds the context of a claimed run for its driver. After `signal` aborts, it shows nothing more. */
export async function openRun(
  { context, approvals, drafts, channelDrafts, configRules, mayRead = false }: RunPorts,
  claim: Claim,
  journal: RunJournal,
  signal: AbortSignal,
  activity: RunActivity,
): Promise<RunContext> {
  const { session, runId } = claim;
  const { sessionId, agentId, agentName, persona, workspace } = session;
  const whenAvailable = <T>(read: () => Promise<T>): Promise<T> =>
    context.storeWait.run(read, signal);
  const rows = await whenAvailable(() => context.store.read(() => listItemsOfRun.all({ runId })));
  const all = rows.map(itemRecord);
  const items = all.filter(
    ({ state, appliedRule }) => state === 'waiting' && appliedRule !== 'inject',
  );
  const drafted = draftedRun(claim, all);
  const ports = { configRules, workspaces: context.workspaces };
  const readPolicy = async (): Promise<Policy> => {
    const read = () => context.store.read(() => policyOf(ports, sessionId, claim.ceiling));
    const { readsAsk, ...policy } = await whenAvailable(read);
    return mayRead || readsAsk === undefined ? policy : { ...policy, readsAsk };
  };
  const publishesText = drafted !== undefined && maySpeakWithoutApproval(await readPolicy());
  if (drafted && !signal.aborted) channelDrafts.begin({ ...drafted, publishesText });
  return {
    ...context.hooks.merge<[ActingRun], RunActions>(RUN_ACTIONS, {
      sessionId,
      runId,
      origin: claim.origin,
      signal,
    }),
    session: {
      sessionId,
      agentId,
      agentName,
      workspace,
      persona,
      responsibleId: session.responsibleId,
      parentSessionId: session.parentSessionId,
      ...agentIdentity(agentId, agentName, persona.definition),
    },
    runId,
    kind: claim.kind as WorkKind,
    origin: claim.origin,
    memoryScope: claim.memoryScope,
    attempt: claim.attempt,
    items,
    journal,
    signal,
    transcript: (tail) =>
      whenAvailable(() =>
        readTranscript(context.store, sessionId, runId, viewOf(claim.memoryScope), tail),
      ),
    recall: (request) => {
      const { memoryScope } = claim;
      const rememberer = { ownerId: session.responsibleId, memoryScope };
      const { store, secrets, memory } = context;
      const reading = { store, secrets, memoryFiles: memory.files };
      return whenAvailable(() => recallAll(reading, rememberer, request));
    },
    requested: requestedIn(claim),
    policy: readPolicy,
    async ask(question, whyUnfit) {
      const approval = await journal.requestApproval(question);
      if (approval.state !== 'pending') return approval;
      return approvals.settled(approval.approvalId, signal, whyUnfit);
    },
    active: () => {
      if (!signal.aborted) activity.touch();
    },
    showText: (step, text) => {
      if (signal.aborted) return;
      activity.touch();
      drafts.show(sessionId, runId, step, text);
      channelDrafts.showText(runId, step, text);
    },
    withdrawText: (step) => {
      if (signal.aborted) return;
      drafts.withdraw(sessionId, runId, step);
      channelDrafts.withdrawText(runId, step);
    },
    showOutput: (callId, text) => {
      if (signal.aborted) return;
      activity.touch();
      channelDrafts.showOutput(runId, callId, text);
    },
    withdrawOutput: () => {
      if (!signal.aborted) channelDrafts.withdrawOutput(runId);
    },
  };
}
