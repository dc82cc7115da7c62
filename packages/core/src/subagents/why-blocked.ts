import { LIMITS, StoaError } from '@stoa/protocol';
import { openSession } from '@stoa/store';
import type { TaskContext } from '../tasks/context.js';

/** Why an agent cannot go on in its session; undefined when it can. */
export async function whyBlocked(
  context: TaskContext,
  worksIn: string | undefined,
): Promise<string | undefined> {
  const { session, parent } = await context.store.read(function* () {
    const own = yield* openSession.first({ sessionId: worksIn ?? '' });
    const sessionId = own?.parentSessionId ?? '';
    return { session: own, parent: yield* openSession.first({ sessionId }) };
  });
  if (!session) return 'its session and with it its transcript is gone';
  if (session.endedAt !== null) return `its session ${session.sessionId} has ended`;
  // Its task may be with one above by now, to which this session says nothing.
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

/** A defect is not a reason. */
function because(what: string, error: unknown): string {
  if (!(error instanceof StoaError)) throw error;
  return `${what}: ${error.message}`.slice(0, LIMITS.descriptionChars);
}
