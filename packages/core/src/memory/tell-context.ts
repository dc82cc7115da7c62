import type { SessionEvent } from '@stoa/protocol';
import { listEventsOfTypeBefore, openSession, type Tx } from '@stoa/store';
import { type ChannelScope, scopeOfChannel } from '../channels/channel-scope.js';
import { stableJson } from '../channels/stable-json.js';
import type { SessionContext } from '../sessions/context.js';
import { contextStart, isInView } from '../sessions/context-start.js';
import type { Claim } from '../sessions/ownership.js';
import type { RunJournal } from '../sessions/run-journal.js';
import { type Recalled, recall } from './recall.js';
import { viewOf } from './view.js';

type Given = Extract<SessionEvent, { type: 'context_given' }>['data'];

/**
 * Tells a session where it is and what is remembered there, before its turn in a channel that has an
 * identity or a memory scope. Once: what was told stands in the journal, and so does that it was. What
 * was cleared or summed up since is told anew, and so is what changed; and all of it is told again with the
 * next turn when the memory could not be read with this one.
 */
export async function tellContext(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
): Promise<void> {
  const { channelId } = claim.origin;
  if (claim.kind !== 'channel_delivery' || channelId === undefined) return;
  const scope = await context.store.read(() => scopeToTell(claim, channelId));
  if (!scope) return;
  const recalled = await read(context, claim);
  await journal.contextGiven({
    channelId,
    channelIdentity: scope.identity,
    ...(recalled && { notes: recalled.notes.map(told).reverse() }),
    olderNotes: recalled?.more ?? 0,
  });
}

const told = ({ noteId, createdAt, text }: Recalled['notes'][number]) => ({
  noteId,
  createdAt,
  text,
});

/** Undefined when there is nothing to tell, or it was told. */
function* scopeToTell(claim: Claim, channelId: string): Tx<ChannelScope | undefined> {
  const scope = yield* scopeOfChannel(channelId);
  if (!scope?.isConfigured) return undefined;
  const last = yield* lastGiven(claim, channelId);
  // A run that is taken up again has been told, as well as could be.
  if (last?.runId === claim.runId) return undefined;
  const isTold =
    last?.notes !== undefined &&
    stableJson(last.channelIdentity) === stableJson(scope.identity) &&
    stableJson(last.memoryScope) === stableJson(claim.memoryScope);
  return isTold ? undefined : scope;
}

const PAGE = 20;

/** What was told last of this channel, of what the run is shown. */
function* lastGiven(
  { session: { sessionId }, memoryScope }: Claim,
  channelId: string,
): Tx<Given | undefined> {
  const session = yield* openSession.first({ sessionId });
  if (!session) return undefined;
  const { topicId } = session;
  const view = viewOf(memoryScope);
  const { after } = yield* contextStart(session, view);
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = yield* listEventsOfTypeBefore.all({
      topicId,
      type: 'context_given',
      after,
      before,
      limit: PAGE,
    });
    for (const { seq, body } of page) {
      const given = JSON.parse(body) as Given;
      if (given.channelId === channelId && isInView(view, given)) return given;
      before = seq;
    }
    if (page.length < PAGE) return undefined;
  }
}

/** The turn does not depend on it: an agent that remembers nothing can still answer. */
async function read(context: SessionContext, claim: Claim): Promise<Recalled | undefined> {
  const { session, memoryScope, runId } = claim;
  const rememberer = { ownerId: session.responsibleId, memoryScope };
  try {
    return await context.store.read(() => recall(context.secrets, rememberer, {}));
  } catch (error) {
    context.diagnose('a memory could not be read and will be told later', { runId, error });
    return undefined;
  }
}
