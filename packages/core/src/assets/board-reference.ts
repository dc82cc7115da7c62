import { type InputItem, StoaError } from '@stoa/protocol';
import { listBoardRevisions, openSession, type Tx } from '@stoa/store';

type BoardReference = Extract<InputItem, { type: 'board_reference' }>;

/**
 * The asset of a board reference: of the named revision, or of the last one. A session can show only its own boards, so only
 * those are searched.
 */
export function* assetOfBoard(actor: string, reference: BoardReference): Tx<string> {
  const { boardId, revision } = reference;
  if (!actor.startsWith('session:')) {
    throw new StoaError('board_without_session', `Only its session can show ${boardId}`);
  }
  const session = yield* openSession.first({ sessionId: actor.slice('session:'.length) });
  const kept = session ? yield* listBoardRevisions.all({ topicId: session.topicId, boardId }) : [];
  const shown =
    revision === undefined ? kept.at(-1) : kept.find((row) => row.revision === revision);
  if (shown) return shown.assetId;
  const what = revision === undefined ? boardId : `revision ${String(revision)} of ${boardId}`;
  throw new StoaError('unknown_board', `This session has no ${what}`);
}
