import type { Board, CreateBoard, ReviseBoard } from '@stoa/protocol';
import type { Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';

/** What a session draws and writes on. */
export interface BoardsApi {
  list(sessionId: string, options?: CallOptions): Promise<readonly Board[]>;
  create(sessionId: string, board: CreateBoard, options?: KeyedCallOptions): Promise<Board>;
  get(sessionId: string, boardId: string, options?: CallOptions): Promise<Board>;
  revise(
    sessionId: string,
    boardId: string,
    revision: ReviseBoard,
    options?: KeyedCallOptions,
  ): Promise<Board>;
  delete(sessionId: string, boardId: string, options?: CallOptions): Promise<void>;
}

export function boardsApi(call: Caller): BoardsApi {
  return {
    list: async (sessionId, options) =>
      (await call('listBoards', { params: { sessionId }, ...options })).boards,
    create: (sessionId, body, options) =>
      call('createBoard', { params: { sessionId }, body, ...options }),
    get: (sessionId, boardId, options) =>
      call('getBoard', { params: { sessionId, boardId }, ...options }),
    revise: (sessionId, boardId, body, options) =>
      call('reviseBoard', { params: { sessionId, boardId }, body, ...options }),
    delete: (sessionId, boardId, options) =>
      call('deleteBoard', { params: { sessionId, boardId }, ...options }),
  };
}
