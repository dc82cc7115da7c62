/**
 * The question before a run that reads files without approval. If Stoa executes the tools, each read that another person
 * asked for needs an approval. A program that reads in its own process cannot be stopped before a read, so its whole run
 * needs one, before the program gets the prompt.
 *
 *   who asked                               the program reads   question
 *   the session's person, or the owner      anything            no
 *   another person who could start the      anything            no: they could have the same read in a session
 *   same agent there                                            of their own
 *   another person                          through Stoa        no: each read asks
 *   another person                          by itself           one, for this run
 *
 * Pure: the decision and the texts. runs/approve-reads.ts asks.
 */
import type { Approval, DriverCapabilities, Origin } from '@stoa/protocol';
import type { Policy } from '../permissions/decide.js';

interface RunFacts {
  readonly driver: Pick<DriverCapabilities, 'readsWithoutApproval'>;
  readonly policy: Pick<Policy, 'requestedBy' | 'readsAsk'>;
  /** Whether people other than the owner may use the agent. */
  readonly isAgentShared: boolean;
}

/** The people for whom the run needs an approval; undefined if it needs none. */
export function whoNeedsApproval({ driver, policy, isAgentShared }: RunFacts) {
  if (driver.readsWithoutApproval !== true) return undefined;
  return policy.readsAsk === true || !isAgentShared ? policy.requestedBy : undefined;
}

interface RunToAllow {
  readonly agentId: string;
  readonly workspace: string;
  readonly origin: Pick<Origin, 'channelId' | 'fromSessionId'>;
  readonly strangers: readonly string[];
  /** If the workspace is shared, the agent is not. */
  readonly isWorkspaceShared: boolean;
}

/** The question that people see. It contains ids and no text of the agent or of the people who asked. */
export function questionAbout(
  run: RunToAllow,
): Pick<Approval, 'tool' | 'callId' | 'title' | 'reason' | 'input'> & { notes: string[] } {
  const { agentId, workspace, strangers, isWorkspaceShared } = run;
  const who = strangers.join(', ');
  const lacking = isWorkspaceShared ? 'agent' : 'workspace';
  return {
    tool: 'start_run',
    callId: 'start_run',
    title: `Run ${agentId}, which reads files without asking, for ${who}`,
    reason: `${who} asked for this, and the ${lacking} is not shared`,
    input: { agentId, workspace, requestedBy: [...strangers] },
    notes: [
      `${who} asked for this run, and this session does not work for them.`,
      `The program of ${agentId} does not ask before it reads: it can read any file in ${workspace}, and any other ` +
        'file that the user of the daemon can read and the sandbox does not hide. It may run commands that only read.',
      `${whereAnswered(run.origin)} What it read can be in there.`,
      'Your answer counts for this run only. To let people ask this agent here without this question, share both in ' +
        `stoa.yaml: \`shared: true\` of the workspace, and \`sharedAgents: [${agentId}]\`.`,
    ],
  };
}

function whereAnswered({ channelId, fromSessionId }: RunToAllow['origin']): string {
  if (channelId !== undefined) {
    return `Its answer goes to the thread in channel ${channelId}, where other people read it.`;
  }
  if (fromSessionId !== undefined) return `It can send its answer to session ${fromSessionId}.`;
  return 'Its answer goes to the people who asked.';
}

/** Why a run ended that was not allowed; shown in the thread. */
export function whyNotAllowed(
  { agentId, strangers }: Pick<RunToAllow, 'agentId' | 'strangers'>,
  { state, answeredBy, answer }: Pick<Approval, 'state' | 'answeredBy' | 'answer'>,
): string {
  const what = `${agentId}, which reads files without asking, to run for ${strangers.join(', ')}`;
  if (state === 'expired') return `Nobody allowed ${what} in time`;
  const words = answer === undefined ? '' : `: ${answer}`;
  return `${answeredBy ?? 'A person'} did not allow ${what}${words}`;
}
