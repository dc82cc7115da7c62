import { type SessionEvent, textOf } from '@stoa/protocol';
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
import { type ChosenTopics, chooseTopics } from '../memory/choose-topics.js';
import { memoryIdOf } from '../memory/memory-id.js';
import { NOTE_CHARS, type Recalled, recall } from '../memory/recall.js';
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
 * Injects the identity and the memory of a channel before a turn in it, if the channel has an identity or a memory scope.
 * Outside of channels it injects the memory, if it contains anything. The journal records what was injected, so it happens
 * once: again only after the session was cleared or compacted, after a change, or if the memory could not be read. Notes are
 * private to the person of the session: a run that somebody else asked for does not get them.
 */
export async function injectContext(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
): Promise<void> {
  const { channelId } = claim.origin;
  const isForStranger = strangersUnder(claim.session, claim.ceiling).length > 0;
  if (channelId === undefined) {
    if (!isForStranger) await injectMemory(context, claim, journal);
  } else if (claim.kind === 'channel_delivery') {
    await injectChannel(context, claim, journal, { channelId, isForStranger });
  }
}

interface Channel {
  readonly channelId: string;
  /** Somebody who may not read the notes asked for the run. */
  readonly isForStranger: boolean;
}

async function injectChannel(
  context: SessionContext,
  claim: Claim,
  journal: RunJournal,
  { channelId, isForStranger }: Channel,
): Promise<void> {
  const scope = await context.store.read(() => scopeToInject(claim, { channelId, isForStranger }));
  if (!scope) return;
  const recalled = isForStranger ? undefined : await read(context, claim);
  await journal.contextGiven({
    channelId,
    channelIdentity: scope.identity,
    ...contentOf(recalled),
  });
}

/** Outside of channels an empty memory is not mentioned. */
async function injectMemory(
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
  const isEmpty = recalled?.notes.length === 0 && recalled.files.index === '';
  if (!isEmpty) await journal.contextGiven(contentOf(recalled));
}

interface Read extends Recalled {
  readonly files: ChosenTopics;
}

function contentOf(recalled: Read | undefined) {
  if (!recalled) return { olderNotes: 0 };
  const { notes, more, files } = recalled;
  return {
    notes: notes.map(({ noteId, createdAt, text }) => ({ noteId, createdAt, text })).reverse(),
    olderNotes: more,
    ...(files.index !== '' && { files: { ...files, topics: [...files.topics] } }),
  };
}

/** Undefined if there is nothing to inject, or it was injected. */
function* scopeToInject(
  claim: Claim,
  { channelId, isForStranger }: Channel,
): Tx<ChannelScope | undefined> {
  const scope = yield* scopeOfChannel(channelId);
  if (!scope?.isConfigured) return undefined;
  const last = yield* lastGiven(claim, channelId);
  // A resumed run has its context.
  if (last?.runId === claim.runId) return undefined;
  const isInjected =
    last !== undefined &&
    (isForStranger || last.notes !== undefined) &&
    stableJson(last.channelIdentity) === stableJson(scope.identity) &&
    stableJson(last.memoryScope) === stableJson(claim.memoryScope);
  return isInjected ? undefined : scope;
}

const PAGE = 20;

/** The last injected context of this channel that is part of the run's context. */
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

/** Undefined if the memory cannot be read: the turn continues without it. */
async function read(context: SessionContext, claim: Claim): Promise<Read | undefined> {
  const { session, memoryScope, runId } = claim;
  const { store, secrets, memory } = context;
  const { files: memoryFiles, maxPromptChars } = memory;
  const rememberer = { ownerId: session.responsibleId, memoryScope };
  try {
    const items = await store.read(() => listItemsOfRun.all({ runId }));
    const request = items.map((row) => textOf(itemRecord(row).inputItems)).join('\n');
    const reading = { store, secrets, memoryFiles };
    const topics = await topicsFor(reading, rememberer, memoryScope.namespace);
    const files = chooseTopics(topics, request, maxPromptChars);
    const spent = files.topics.reduce((sum, { text }) => sum + text.length, files.index.length);
    const left = Math.min(NOTE_CHARS, maxPromptChars - spent);
    const notes = await store.read(() => recall(secrets, rememberer, {}, left));
    return { ...notes, files };
  } catch (error) {
    context.diagnose('a memory could not be read and will be injected later', { runId, error });
    return undefined;
  }
}
