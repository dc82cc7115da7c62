import { LIMITS, StoaError } from '@stoa/protocol';
import { openSession } from '@stoa/store';
import type { TaskContext } from '../tasks/context.js';

/** Why an agent cannot continue in its session; undefined if it can. */
export async function whyBlocked(
  context: TaskContext,
  worksIn: string | undefined,
): Promise<string | undefined> {
  const { session, parent } = await context.store.read(function* () {
    const own = yield* openSession.first({ sessionId: worksIn ?? '' });
    const sessionId = own?.parentSessionId ?? '';
    return { session: own, parent: yield* openSession.first({ sessionId }) };
  });
  if (!session) return 'its session with the transcript is gone';
  if (session.endedAt !== null) return `its session ${session.sessionId} has ended`;
  // Its task may have moved to a session above, which gets no messages of this session.
  if (parent && parent.endedAt !== null) {
    return `the session ${parent.sessionId} that it worked for has ended`;
  }
  const { agentId, workspace } = session;
  try {
    await context.workspaces.resolve(workspace);
  } catch (error) {
    return because(`its workspace ${workspace} is gone`, error);
  }
  try {
    await context.findAgent(agentId, workspace);
  } catch (error) {
    return because(`its agent ${agentId} is gone`, error);
  }
  return undefined;
}

/** Rethrows errors that are not from the registry: they are defects and not reasons. */
function because(what: string, error: unknown): string {
  if (!(error instanceof StoaError)) throw error;
  return `${what}: ${error.message}`.slice(0, LIMITS.descriptionChars);
}
