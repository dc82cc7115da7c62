import { LIMITS, type SessionEvent } from '@stoa/protocol';
import {
  deleteBoard,
  deleteBoardRevisionsUpTo,
  findBoard,
  insertBoardRevision,
  listBoardRevisions,
  markAssetUsed,
  putBoard,
  releaseAsset,
  type Tx,
} from '@stoa/store';
import type { Position } from '../kernel/entry.js';
import type { Projections } from '../kernel/module.js';

type BoardEvent = Extract<SessionEvent, { type: `board_${string}` }>;

/** Updates the tables of boards. Each stored revision holds its asset. */
export const BOARD_EVENTS: Projections = {
  *board_created(position, event) {
    const { boardId } = event.data;
    const { topicId, at } = position;
    yield* putBoard.run({
      topicId,
      boardId,
      title: event.data.title,
      createdAt: at,
      updatedAt: at,
    });
    yield* insertRevision(position, event.data);
  },
  *board_revised(position, event) {
    const { boardId } = event.data;
    const { topicId, at } = position;
    const now = yield* findBoard.first({ topicId, boardId });
    if (!now) return;
    const { title, revision } = event.data;
    yield* putBoard.run({ ...now, title: title ?? now.title, updatedAt: at });
    yield* insertRevision(position, event.data);
    yield* deleteRevisions(position, boardId, revision - LIMITS.revisionsPerBoard);
  },
  *board_deleted(position, event) {
    const { boardId } = event.data;
    const { topicId } = position;
    yield* deleteBoard.run({ topicId, boardId });
    yield* deleteRevisions(position, boardId, Number.MAX_SAFE_INTEGER);
  },
};

type Drawn = Extract<BoardEvent, { type: 'board_created' | 'board_revised' }>['data'];

function* insertRevision({ topicId, at, actor }: Position, drawn: Drawn): Tx<void> {
  const { boardId, revision, assetId, mediaType } = drawn;
  const row = { topicId, boardId, revision, assetId, mediaType };
  yield* insertBoardRevision.run({ ...row, createdBy: actor, createdAt: at });
  yield* markAssetUsed.run({ assetId });
}

function* deleteRevisions({ topicId, at }: Position, boardId: string, upTo: number): Tx<void> {
  if (upTo < 1) return;
  const rows = yield* listBoardRevisions.all({ topicId, boardId });
  const gone = rows.filter(({ revision }) => revision <= upTo).map(({ assetId }) => assetId);
  if (gone.length === 0) return;
  yield* deleteBoardRevisionsUpTo.run({ topicId, boardId, revision: upTo });
  for (const assetId of [...new Set(gone)].sort()) yield* releaseAsset.run({ assetId, at });
}
