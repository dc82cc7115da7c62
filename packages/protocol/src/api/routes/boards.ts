import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { Board, CreateBoard, ReviseBoard } from '../../records/board.js';
import { BoardId, SessionId } from '../../records/ids.js';
import { PEOPLE_AND_SESSIONS } from '../access-table.js';
import type { Route } from '../route.js';

const inSession = z.strictObject({ sessionId: SessionId });
const inBoard = z.strictObject({ sessionId: SessionId, boardId: BoardId });
const BODY_BYTES = Math.ceil(LIMITS.assetBytes / 3) * 4 + 1024 * 1024;

/** What sessions draw and write on. */
export const BOARDS_ROUTES = {
  listBoards: {
    method: 'GET',
    path: '/v1/sessions/:sessionId/boards',
    tag: 'boards',
    summary: 'List the boards of a session',
    access: PEOPLE_AND_SESSIONS,
    params: inSession,
    answer: z.strictObject({ boards: z.array(Board) }),
    status: 200,
  },
  createBoard: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/boards',
    tag: 'boards',
    summary: 'Make a board with its first revision (the session itself, or who directs it)',
    access: PEOPLE_AND_SESSIONS,
    params: inSession,
    body: CreateBoard,
    bodyLimit: BODY_BYTES,
    answer: Board,
    status: 201,
    idempotent: true,
  },
  getBoard: {
    method: 'GET',
    path: '/v1/sessions/:sessionId/boards/:boardId',
    tag: 'boards',
    summary: 'Read a board',
    access: PEOPLE_AND_SESSIONS,
    params: inBoard,
    answer: Board,
    status: 200,
  },
  reviseBoard: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/boards/:boardId/revisions',
    tag: 'boards',
    summary: 'Add a revision; the oldest ones beyond the limit are let go',
    access: PEOPLE_AND_SESSIONS,
    params: inBoard,
    body: ReviseBoard,
    bodyLimit: BODY_BYTES,
    answer: Board,
    status: 201,
    idempotent: true,
  },
  deleteBoard: {
    method: 'DELETE',
    path: '/v1/sessions/:sessionId/boards/:boardId',
    tag: 'boards',
    summary: 'Delete a board; messages keep what they refer to',
    access: PEOPLE_AND_SESSIONS,
    params: inBoard,
    status: 204,
  },
} as const satisfies Record<string, Route>;
