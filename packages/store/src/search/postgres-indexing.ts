import type { Tx } from '../sql/statement.js';
import type { Store } from '../store.js';
import { oldestWindow } from './log-window.js';
import { type MessageChange, readChanges } from './message-changes.js';
import {
  deleteDocuments,
  deleteSomeDocuments,
  deleteWatermark,
  findTail,
  findWatermark,
  insertWatermark,
  lockWatermark,
  moveWatermark,
  putDocuments,
} from './postgres-search-statements.js';
import { toTsvector } from './postgres-text.js';
import { tokensOf } from './search-tokens.js';

const STEP = { events: 256, bytes: 256 * 1024 } as const;

interface Progress {
  /** Everything up to this sequence is indexed. */
  readonly seq: number;
  readonly isMore: boolean;
}

type Plan =
  | { readonly kind: 'gone' }
  | { readonly kind: 'finished'; readonly seq: number }
  | ({ readonly kind: 'batch' } & Batch);

interface Batch {
  /** Undefined if the topic has no watermark yet. */
  readonly from: number | undefined;
  readonly to: number;
  readonly changes: readonly MessageChange[];
  readonly isMore: boolean;
}

/**
 * Indexes a small part of a topic. Several daemons may do so at once: a batch is read and tokenised first, and
 * written only if the watermark is still where the batch begins.
 */
export async function indexSome(store: Store, topicId: number): Promise<Progress> {
  const plan = await store.read(() => planStep(topicId));
  switch (plan.kind) {
    case 'finished':
      return { seq: plan.seq, isMore: false };
    case 'gone':
      return { seq: 0, isMore: await store.transact(() => dropSome(topicId)) };
    case 'batch': {
      const isWritten = await store.transact(writing(topicId, plan));
      return isWritten
        ? { seq: plan.to, isMore: plan.isMore }
        : { seq: plan.from ?? 0, isMore: true };
    }
  }
}

function* planStep(topicId: number): Tx<Plan> {
  const watermark = yield* findWatermark.first({ topicId });
  if (watermark?.gone) return { kind: 'gone' };
  const tail = yield* findTail.first({ topicId });
  const window = tail && (yield* oldestWindow(tail, STEP));
  if (!window) return { kind: 'finished', seq: watermark?.seq ?? 0 };
  const changes = yield* readChanges(window);
  const { upTo: to } = window;
  return { kind: 'batch', from: watermark?.seq, to, changes, isMore: tail.upTo > to };
}

/** A channel that is deleted meanwhile leaves documents that are never found and soon deleted. */
function writing(topicId: number, { from, to, changes }: Batch): () => Tx<boolean> {
  const documents = changes.map(({ seq, createdAt, text }) => ({
    seq,
    createdAt,
    tokens: text === undefined ? '' : toTsvector(tokensOf(text)),
  }));
  const rows = JSON.stringify(documents.filter(({ tokens }) => tokens !== ''));
  const seqs = JSON.stringify(documents.flatMap(({ seq, tokens }) => (tokens === '' ? [seq] : [])));
  return function* () {
    if (from === undefined) yield* insertWatermark.run({ topicId });
    const isOurs = (yield* moveWatermark.changes({ topicId, from: from ?? 0, to })) > 0;
    if (!isOurs) return false;
    yield* putDocuments.run({ topicId, rows });
    yield* deleteDocuments.run({ topicId, seqs });
    return true;
  };
}

/** Returns whether documents are left. */
function* dropSome(topicId: number): Tx<boolean> {
  if (!(yield* lockWatermark.first({ topicId }))) return false;
  yield* deleteSomeDocuments.run({ topicId, limit: STEP.events });
  return (yield* deleteWatermark.changes({ topicId })) === 0;
}
