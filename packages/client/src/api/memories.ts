import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export type MemoryPage = Answer<'listMemories'>;
export type NotePage = Answer<'listNotes'>;

/** What sessions remember. */
export interface MemoriesApi {
  /** Newest first. */
  list(query?: QueryFor<'listMemories'>, options?: CallOptions): Promise<MemoryPage>;
  /** Newest first. */
  notes(memoryId: string, query?: QueryFor<'listNotes'>, options?: CallOptions): Promise<NotePage>;
  deleteNote(memoryId: string, noteId: string, options?: CallOptions): Promise<void>;
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
    clear: (memoryId, options) => call('clearMemory', { params: { memoryId }, ...options }),
  };
}
