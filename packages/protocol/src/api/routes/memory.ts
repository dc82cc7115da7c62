import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { Seq } from '../../records/ids.js';
import {
  DreamStatus,
  Memory,
  MemoryFile,
  MemoryFileList,
  MemoryFileName,
  MemoryId,
  MemoryNote,
  MemoryPart,
  NoteId,
  PutMemoryFile,
} from '../../records/memory.js';
import { Task } from '../../records/task.js';
import { PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const inMemory = z.strictObject({ memoryId: MemoryId });
const inFile = z.strictObject({ memoryId: MemoryId, name: MemoryFileName });
const limit = z.int().min(1).max(LIMITS.pageSize).default(50);

/** What sessions remember, for the people they work for. */
export const MEMORY_ROUTES = {
  listMemories: {
    method: 'GET',
    path: '/v1/memories',
    tag: 'memory',
    summary: 'What the sessions of the caller remember, by namespace; the owner sees all',
    access: PEOPLE,
    query: z.strictObject({
      namespace: Memory.shape.namespace.max(LIMITS.titleChars).optional(),
      before: MemoryId.optional(),
      limit,
    }),
    answer: z.strictObject({ memories: z.array(Memory), nextBefore: MemoryId.optional() }),
    status: 200,
  },
  listNotes: {
    method: 'GET',
    path: '/v1/memories/:memoryId/notes',
    tag: 'memory',
    summary: 'The notes of a memory, newest first',
    access: PEOPLE,
    params: inMemory,
    query: z.strictObject({ before: Seq.optional(), limit }),
    answer: z.strictObject({ notes: z.array(MemoryNote), nextBefore: Seq.optional() }),
    status: 200,
  },
  deleteNote: {
    method: 'DELETE',
    path: '/v1/memories/:memoryId/notes/:noteId',
    tag: 'memory',
    summary: 'Delete a note: nobody is told of it any more',
    access: PEOPLE,
    params: z.strictObject({ memoryId: MemoryId, noteId: NoteId }),
    status: 204,
  },
  listMemoryFiles: {
    method: 'GET',
    path: '/v1/memories/:memoryId/files',
    tag: 'memory',
    summary: 'The Markdown files of a memory, as they are now',
    access: PEOPLE,
    params: inMemory,
    answer: MemoryFileList,
    status: 200,
  },
  putMemoryFile: {
    method: 'PUT',
    path: '/v1/memories/:memoryId/files/:name',
    tag: 'memory',
    summary: 'Write a Markdown file of a memory, in place of what was there',
    access: PEOPLE,
    params: inFile,
    body: PutMemoryFile,
    answer: MemoryFile,
    status: 200,
  },
  deleteMemoryFile: {
    method: 'DELETE',
    path: '/v1/memories/:memoryId/files/:name',
    tag: 'memory',
    summary: 'Delete a Markdown file of a memory',
    access: PEOPLE,
    params: inFile,
    query: z.strictObject({ part: MemoryPart.default('shared') }),
    status: 204,
  },
  getDreamStatus: {
    method: 'GET',
    path: '/v1/memories/:memoryId/dream',
    tag: 'memory',
    summary: 'Whether a memory would be put in order now, and if not, why',
    access: PEOPLE,
    params: inMemory,
    answer: z.strictObject({ dreams: z.array(DreamStatus) }),
    status: 200,
  },
  startDream: {
    method: 'POST',
    path: '/v1/memories/:memoryId/dream',
    tag: 'memory',
    summary:
      'Put a memory in order now, however few sessions were there and however lately it was done',
    access: PEOPLE,
    params: inMemory,
    body: z.strictObject({ part: MemoryPart.optional() }),
    answer: Task,
    status: 202,
  },
  clearMemory: {
    method: 'DELETE',
    path: '/v1/memories/:memoryId',
    tag: 'memory',
    summary: 'Erase all notes and files of a memory for good, also from its log',
    access: PEOPLE,
    params: inMemory,
    status: 204,
  },
} as const satisfies Record<string, Route>;
