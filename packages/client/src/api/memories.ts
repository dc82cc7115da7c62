import type { MemoryPart } from '@stoa/protocol';
import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export type MemoryPage = Answer<'listMemories'>;
export type NotePage = Answer<'listNotes'>;
export type MemoryFilesAnswer = Answer<'listMemoryFiles'>;

/** What sessions remember. */
export interface MemoriesApi {
  /** Newest first. */
  list(query?: QueryFor<'listMemories'>, options?: CallOptions): Promise<MemoryPage>;
  /** Newest first. */
  notes(memoryId: string, query?: QueryFor<'listNotes'>, options?: CallOptions): Promise<NotePage>;
  deleteNote(memoryId: string, noteId: string, options?: CallOptions): Promise<void>;
  /** The Markdown files, as they are now. */
  files(memoryId: string, options?: CallOptions): Promise<MemoryFilesAnswer>;
  putFile(
    memoryId: string,
    name: string,
    body: { readonly text: string; readonly part?: MemoryPart },
    options?: CallOptions,
  ): Promise<Answer<'putMemoryFile'>>;
  deleteFile(
    memoryId: string,
    name: string,
    query?: QueryFor<'deleteMemoryFile'>,
    options?: CallOptions,
  ): Promise<void>;
  /** Whether it would be put in order now, and if not, why. */
  dreamStatus(memoryId: string, options?: CallOptions): Promise<Answer<'getDreamStatus'>>;
  /** Puts it in order; answers with the background task that does. */
  dream(
    memoryId: string,
    body?: { readonly part?: MemoryPart },
    options?: CallOptions,
  ): Promise<Answer<'startDream'>>;
  /** Erases all of it, also from its log. */
  clear(memoryId: string, options?: CallOptions): Promise<void>;
}

export function memoriesApi(call: Caller): MemoriesApi {
  return {
    list: (query, options) => call('listMemories', { query, ...options }),
    notes: (memoryId, query, options) =>
      call('listNotes', { params: { memoryId }, query, ...options }),
    deleteNote: (memoryId, noteId, options) =>
      call('deleteNote', { params: { memoryId, noteId }, ...options }),
    files: (memoryId, options) => call('listMemoryFiles', { params: { memoryId }, ...options }),
    putFile: (memoryId, name, body, options) =>
      call('putMemoryFile', { params: { memoryId, name }, body, ...options }),
    deleteFile: (memoryId, name, query, options) =>
      call('deleteMemoryFile', { params: { memoryId, name }, query, ...options }),
    dreamStatus: (memoryId, options) =>
      call('getDreamStatus', { params: { memoryId }, ...options }),
    dream: (memoryId, body = {}, options) =>
      call('startDream', { params: { memoryId }, body, ...options }),
    clear: (memoryId, options) => call('clearMemory', { params: { memoryId }, ...options }),
  };
}
