import { type InboxItem, type SessionEvent, textOf } from '@stoa/protocol';
import {
  findMemory,
  listEventsOfTypeBefore,
  listItemsOfRun,
  openSession,
  type Tx,
} from '@stoa/store';
import { type ChannelScope, scopeOfChannel } from '../channels/channel-scope.js';
import { dataOf } from '../kernel/codec.js';
import { stableJson } from '../kernel/stable-json.js';
import { chooseTopics, type ToldTopics } from '../memory/choose-topics.js';
import { memoryIdOf } from '../memory/memory-id.js';
import { type Recalled, recall, TOLD_CHARS } from '../memory/recall.js';
import { topicsFor } from '../memory/recall-all.js';
import { viewOf } from '../memory/view.js';
import { strangersUnder } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { itemRecord } from '../sessions/records.js';
import { contextStart, isInView } from './context-start.js';
import type { Claim } from './ownership.js';
import type { RunJournal } from './run-journal.js';

type Given = Extract<SessionEvent, { type: 'context_given' }>['data'];

/**
 * Tells a session where it is and what is remembered there: before its turn in a channel that has an identity
 * or a memory scope, and outside of channels where there is something to remember. Once: what was told stands
 * in the journal, and so does that it was. What was cleared or summed up since is told anew, and so is what
 * changed; and all of it is told again with the next turn when the memory could not be read with this one. Notes are
 * private to the person of the session: a run that somebody else asked for is told of the place without them.
 */
export async function tellContext(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
): Promise<void> {
  const { channelId } = claim.origin;
  const isForStranger = strangersUnder(claim.session, claim.ceiling).length > 0;
  if (channelId === undefined) {
    if (!isForStranger) await tellMemory(context, claim, journal);
  } else if (claim.kind === 'channel_delivery') {
    await tellChannel(context, claim, journal, { channelId, isForStranger });
  }
}

interface Place {
  readonly channelId: string;
  /** Somebody asked who may not read the notes: they are left out. */
  readonly isForStranger: boolean;
}

async function tellChannel(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
  { channelId, isForStranger }: Place,
): Promise<void> {
  const scope = await context.store.read(() => scopeToTell(claim, { channelId, isForStranger }));
  if (!scope) return;
  const recalled = isForStranger ? undefined : await read(context, claim);
  await journal.contextGiven({ channelId, channelIdentity: scope.identity, ...toldOf(recalled) });
}

/** Outside of channels nothing is said of a memory that holds nothing. */
async function tellMemory(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
): Promise<void> {
  if (context.memory.maxPromptChars === 0) return;
  const memoryId = memoryIdOf(
    context.secrets,
    claim.session.responsibleId,
    claim.memoryScope.namespace,
  );
  const isDue = await context.store.read(function* () {
    if (!(yield* findMemory.first({ memoryId }))) return false;
    const last = yield* lastGiven(claim, undefined);
    return last?.runId !== claim.runId && last?.notes === undefined;
  });
  if (!isDue) return;
  const recalled = await read(context, claim);
  const holdsNothing = recalled?.notes.length === 0 && recalled.files.index === '';
  if (!holdsNothing) await journal.contextGiven(toldOf(recalled));
}

interface Read extends Recalled {
  readonly files: ToldTopics;
}

function toldOf(recalled: Read | undefined) {
  if (!recalled) return { olderNotes: 0 };
  const { notes, more, files } = recalled;
  return {
    notes: notes.map(told).reverse(),
    olderNotes: more,
    ...(files.index !== '' && { files: { ...files, topics: [...files.topics] } }),
  };
}

const told = ({ noteId, createdAt, text }: Recalled['notes'][number]) => ({
  noteId,
  createdAt,
  text,
});

/** Undefined when there is nothing to tell, or it was told. */
function* scopeToTell(
  claim: Claim,
  { channelId, isForStranger }: Place,
): Tx<ChannelScope | undefined> {
  const scope = yield* scopeOfChannel(channelId);
  if (!scope?.isConfigured) return undefined;
  const last = yield* lastGiven(claim, channelId);
  // A run that is taken up again has been told, as well as could be.
  if (last?.runId === claim.runId) return undefined;
  const isTold =
    last !== undefined &&
    (isForStranger || last.notes !== undefined) &&
    stableJson(last.channelIdentity) === stableJson(scope.identity) &&
    stableJson(last.memoryScope) === stableJson(claim.memoryScope);
  return isTold ? undefined : scope;
}

const PAGE = 20;

/** What was told last of this channel, of what the run is shown. */
function* lastGiven(
  { session: { sessionId }, memoryScope }: Claim,
  channelId: string | undefined,
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
      const given = dataOf('context_given', { body });
      if (given.channelId === channelId && isInView(view, given)) return given;
      before = seq;
    }
    if (page.length < PAGE) return undefined;
  }
}

/** The turn does not depend on it: an agent that remembers nothing can still answer. */
async function read(context: SessionContext, claim: Claim): Promise<Read | undefined> {
  const { session, memoryScope, runId } = claim;
  const { store, secrets, memory } = context;
  const { files: memoryFiles, maxPromptChars } = memory;
  const rememberer = { ownerId: session.responsibleId, memoryScope };
  try {
    const items = await store.read(() => listItemsOfRun.all({ runId }));
    const asked = items.map((row) => textOf(itemRecord(row).inputItems)).join('\n');
    const reading = { store, secrets, memoryFiles };
    const topics = await topicsFor(reading, rememberer, memoryScope.namespace);
    const files = chooseTopics(topics, asked, maxPromptChars);
    const spent = files.topics.reduce((sum, { text }) => sum + text.length, files.index.length);
    const left = Math.min(TOLD_CHARS, maxPromptChars - spent);
    const notes = await store.read(() => recall(secrets, rememberer, {}, left));
    return { ...notes, files };
  } catch (error) {
    context.diagnose('a memory could not be read and will be told later', { runId, error });
    return undefined;
  }
}
