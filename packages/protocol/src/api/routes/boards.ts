import { LIMITS } from '../../limits.js';
import { PEOPLE_AND_SESSIONS } from '../access-table.js';
import { tagged } from '../route.js';

const BODY_BYTES = Math.ceil(LIMITS.assetBytes / 3) * 4 + 1024 * 1024;

/** Boards of sessions. */
export const BOARDS_ROUTES = tagged('boards', {
  listBoards: {
    method: 'GET',
    path: '/v1/sessions/:sessionId/boards',
    summary: 'List the boards of a session',
    access: PEOPLE_AND_SESSIONS,
    answer: 'ListBoardsAnswer',
    client: 'boards.list',
    unwrap: 'boards',
  },
  createBoard: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/boards',
    summary: 'Create a board with its first revision (the session itself, or its director)',
    access: PEOPLE_AND_SESSIONS,
    body: 'CreateBoard',
    bodyLimit: BODY_BYTES,
    answer: 'Board',
    status: 201,
    retry: 'keyed',
    client: 'boards.create',
  },
  getBoard: {
    method: 'GET',
    path: '/v1/sessions/:sessionId/boards/:boardId',
    summary: 'Read a board',
    access: PEOPLE_AND_SESSIONS,
    answer: 'Board',
    client: 'boards.get',
  },
  reviseBoard: {
    method: 'POST',
    path: '/v1/sessions/:sessionId/boards/:boardId/revisions',
    summary: 'Add a revision; the oldest ones beyond the limit are deleted',
    access: PEOPLE_AND_SESSIONS,
    body: 'ReviseBoard',
    bodyLimit: BODY_BYTES,
    answer: 'Board',
    status: 201,
    retry: 'keyed',
    client: 'boards.revise',
  },
  deleteBoard: {
    method: 'DELETE',
    path: '/v1/sessions/:sessionId/boards/:boardId',
    summary: 'Delete a board; assets in messages are kept',
    access: PEOPLE_AND_SESSIONS,
    status: 204,
    client: 'boards.delete',
  },
});
