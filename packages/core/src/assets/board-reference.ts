import { type InputItem, StoaError } from '@stoa/protocol';
import { listBoardRevisions, openSession, type Tx } from '@stoa/store';

type BoardReference = Extract<InputItem, { type: 'board_reference' }>;

/**
 * The asset that a reference to a board means now: of the revision that is named, or of the last one. A
 * session shows its own boards and no others, so it is looked for among those.
 */
export function* assetOfBoard(actor: string, reference: BoardReference): Tx<string> {
  const { boardId, revision } = reference;
  if (!actor.startsWith('session:')) {
    throw new StoaError('board_without_session', `${boardId} is shown by its session only`);
  }
  const session = yield* openSession.first({ sessionId: actor.slice('session:'.length) });
  const kept = session ? yield* listBoardRevisions.all({ topicId: session.topicId, boardId }) : [];
  const meant =
    revision === undefined ? kept.at(-1) : kept.find((row) => row.revision === revision);
  if (meant) return meant.assetId;
  const what = revision === undefined ? boardId : `revision ${String(revision)} of ${boardId}`;
  throw new StoaError('unknown_board', `This session has no ${what}`);
}
