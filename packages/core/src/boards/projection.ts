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
import type { Place } from '../log/entry.js';

type BoardEvent = Extract<SessionEvent, { type: `board_${string}` }>;

/** What happens to the boards of a session; a revision that is kept holds its asset. */
export function* projectBoardEvent(place: Place, event: BoardEvent): Tx<void> {
  const { topicId, at } = place;
  const { boardId } = event.data;
  switch (event.type) {
    case 'board_created':
      yield* putBoard.run({
        topicId,
        boardId,
        title: event.data.title,
        createdAt: at,
        updatedAt: at,
      });
      yield* keep(place, event.data);
      return;
    case 'board_revised': {
      const now = yield* findBoard.first({ topicId, boardId });
      if (!now) return;
      const { title, revision } = event.data;
      yield* putBoard.run({ ...now, title: title ?? now.title, updatedAt: at });
      yield* keep(place, event.data);
      yield* letGo(place, boardId, revision - LIMITS.revisionsPerBoard);
      return;
    }
    case 'board_deleted':
      yield* deleteBoard.run({ topicId, boardId });
      yield* letGo(place, boardId, Number.MAX_SAFE_INTEGER);
      return;
  }
}

type Drawn = Extract<BoardEvent, { type: 'board_created' | 'board_revised' }>['data'];

function* keep({ topicId, at, actor }: Place, drawn: Drawn): Tx<void> {
  const { boardId, revision, assetId, mediaType } = drawn;
  const row = { topicId, boardId, revision, assetId, mediaType };
  yield* insertBoardRevision.run({ ...row, createdBy: actor, createdAt: at });
  yield* markAssetUsed.run({ assetId });
}

function* letGo({ topicId, at }: Place, boardId: string, upTo: number): Tx<void> {
  if (upTo < 1) return;
  const rows = yield* listBoardRevisions.all({ topicId, boardId });
  const gone = rows.filter(({ revision }) => revision <= upTo).map(({ assetId }) => assetId);
  if (gone.length === 0) return;
  yield* deleteBoardRevisionsUpTo.run({ topicId, boardId, revision: upTo });
  for (const assetId of [...new Set(gone)].sort()) yield* releaseAsset.run({ assetId, at });
}
