import {
  type Asset,
  actorIdOf,
  type Board,
  type CreateBoard,
  LIMITS,
  type Principal,
  type ReviseBoard,
  StoaError,
  sessionTopic,
} from '@stoa/protocol';
import {
  type BoardRow,
  findBoard,
  findIdempotencyKey,
  holdAsset,
  listBoardRevisions,
  listBoards,
  type Tx,
} from '@stoa/store';
import { assertAssetSize } from '../assets/assets.js';
import { decodeBase64 } from '../assets/base64.js';
import { dataOf } from '../kernel/codec.js';
import { idempotency } from '../kernel/idempotency.js';
import type { Decision } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import { inSession } from '../sessions/run-facts.js';
import {
  assertNotEnded,
  type OpenSession,
  sessionToChange,
  sessionToRead,
  sessionToServe,
} from '../sessions/session-gate.js';

/** What a caller can do with the boards of sessions. `by` is the principal that the credential proved. */
export class Boards {
  constructor(private readonly context: SessionContext) {}

  list(by: Principal, sessionId: string): Promise<Board[]> {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const boards: Board[] = [];
      for (const row of yield* listBoards.all({ topicId })) {
        boards.push(yield* boardRecord(sessionId, row));
      }
      return boards;
    });
  }

  get(by: Principal, sessionId: string, boardId: string): Promise<Board> {
    return this.context.store.read(function* () {
      const session = yield* sessionToRead(by, sessionId);
      return yield* boardRecord(sessionId, yield* existingBoard(session, boardId));
    });
  }

  async create(
    by: Principal,
    sessionId: string,
    request: CreateBoard,
    key?: string,
  ): Promise<Board> {
    const { context } = this;
    const open = (): Tx<OpenSession> => sessionToDrawIn(by, sessionId);
    const asset = await this.#admit(by, request, function* () {
      const session = yield* open();
      // A repeated call gets its earlier answer, even if there is no room now.
      const known = key && (yield* findIdempotencyKey.first({ actorId: actorIdOf(by), key }));
      if (!known) yield* assertRoom(session);
    });
    const boardId = context.ids.next('brd');
    const { title } = request;
    const made = await context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open,
      *decide(session): Tx<Decision<string>> {
        yield* assertRoom(session);
        const drawn = { boardId, revision: 1, ...(yield* held(asset)) };
        return {
          events: [inSession(session, { type: 'board_created', data: { title, ...drawn } })],
          answer: () => boardId,
        };
      },
      idempotency: idempotency(context.secrets, key, { createBoard: sessionId, request }, boardOf),
    });
    return this.get(by, sessionId, made);
  }

  async revise(
    by: Principal,
    sessionId: string,
    boardId: string,
    request: ReviseBoard,
    key?: string,
  ): Promise<Board> {
    const { context } = this;
    const open = (): Tx<OpenSession> => sessionToDrawIn(by, sessionId);
    const asset = await this.#admit(by, request, function* () {
      yield* existingBoard(yield* open(), boardId);
    });
    const { title } = request;
    await context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open,
      *decide(session): Tx<Decision<string>> {
        const { topicId } = yield* existingBoard(session, boardId);
        const last = (yield* listBoardRevisions.all({ topicId, boardId })).at(-1);
        const revision = (last?.revision ?? 0) + 1;
        const drawn = { boardId, revision, ...(yield* held(asset)) };
        const data = title === undefined ? drawn : { title, ...drawn };
        return {
          events: [inSession(session, { type: 'board_revised', data })],
          answer: () => boardId,
        };
      },
      idempotency: idempotency(context.secrets, key, { reviseBoard: boardId, request }, boardOf),
    });
    return this.get(by, sessionId, boardId);
  }

  /** Messages keep the assets that they refer to; unused ones are collected. */
  delete(by: Principal, sessionId: string, boardId: string): Promise<void> {
    return this.context.log.write({
      actor: actorIdOf(by),
      lane: sessionTopic(sessionId),
      open: () => sessionToEdit(by, sessionId),
      *decide(session): Tx<Decision<void>> {
        yield* existingBoard(session, boardId);
        return {
          events: [inSession(session, { type: 'board_deleted', data: { boardId } })],
          answer: () => undefined,
        };
      },
    });
  }

  /** Bytes are stored before the write that refers to them, so `rehearse` first checks what would refuse it. */
  async #admit(by: Principal, content: ReviseBoard, rehearse: () => Tx<void>): Promise<Asset> {
    const { text, data, assetId } = content;
    if ([text, data, assetId].filter((given) => given !== undefined).length !== 1) {
      throw new StoaError('invalid_request', 'Give exactly one of text, data and assetId', [
        { path: 'body', message: 'exactly one of text, data and assetId' },
      ]);
    }
    const bytes =
      text !== undefined
        ? new TextEncoder().encode(text)
        : data !== undefined
          ? decodeBase64(data)
          : undefined;
    if (bytes) assertAssetSize(bytes);
    await this.context.store.transact(rehearse);
    const { assets } = this.context;
    const asset = bytes
      ? await assets.create(bytes, undefined, actorIdOf(by))
      : await assets.get(assetId ?? '');
    if (/^(?:image|text)\//.test(asset.mediaType)) return asset;
    throw new StoaError('invalid_request', `A board is an image or text, not ${asset.mediaType}`);
  }
}

const boardOf = ({ body }: { readonly body: string }): string =>
  dataOf('board_created', { body }).boardId;

/** For the session itself and the people who direct it. */
function* sessionToEdit(by: Principal, sessionId: string): Tx<OpenSession> {
  const isItself = by.kind === 'session' && by.id === sessionId;
  return yield* isItself ? sessionToServe(sessionId) : sessionToChange(by, sessionId);
}

function* sessionToDrawIn(by: Principal, sessionId: string): Tx<OpenSession> {
  const session = yield* sessionToEdit(by, sessionId);
  assertNotEnded(session);
  return session;
}

function* assertRoom({ topicId }: OpenSession): Tx<void> {
  if ((yield* listBoards.all({ topicId })).length < LIMITS.boardsPerSession) return;
  throw new StoaError(
    'limit_reached',
    `A session has at most ${String(LIMITS.boardsPerSession)} boards`,
  );
}

/** Checks that an asset exists, and prevents its collection before the commit. */
function* held({ assetId, mediaType }: Asset): Tx<Pick<Asset, 'assetId' | 'mediaType'>> {
  if (yield* holdAsset.first({ assetId })) return { assetId, mediaType };
  throw new StoaError('unknown_asset', `There is no asset ${assetId}`);
}

function* existingBoard({ topicId, sessionId }: OpenSession, boardId: string): Tx<BoardRow> {
  const row = yield* findBoard.first({ topicId, boardId });
  if (!row) throw new StoaError('board_not_found', `${sessionId} has no board ${boardId}`);
  return row;
}

function* boardRecord(sessionId: string, row: BoardRow): Tx<Board> {
  const { topicId, boardId, title, createdAt, updatedAt } = row;
  const revisions = yield* listBoardRevisions.all({ topicId, boardId });
  return {
    boardId,
    sessionId,
    title,
    createdAt,
    updatedAt,
    revisions: revisions.map((kept) => ({
      revision: kept.revision,
      assetId: kept.assetId,
      mediaType: kept.mediaType,
      createdBy: kept.createdBy,
      createdAt: kept.createdAt,
    })),
  };
}
