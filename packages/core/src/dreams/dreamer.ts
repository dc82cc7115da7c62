import type { MemoryNote, Usage } from '@stoa/protocol';
import type { TranscriptEntry } from '../runs/transcript.js';
import type { DraftFolder } from './draft-folder.js';

/** What a dream is given, and what it says while it goes on. */
export interface DreamWork {
  readonly namespace: string;
  readonly draft: DraftFolder;
  /** Oldest first. */
  readonly notes: readonly Pick<MemoryNote, 'noteId' | 'createdAt' | 'text'>[];
  /** What was said and done under this namespace, and nowhere else, since the last time. */
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly entries: readonly TranscriptEntry[];
  }[];
  readonly signal: AbortSignal;
  /** Something was read or written. */
  progressed(): void;
  /** These notes stand in the files now, and are to go. */
  fold(noteIds: readonly string[]): void;
  spent(usage: Usage, by: { readonly provider: string; readonly model: string }): Promise<void>;
}

/** Puts a memory in order, with a model. What it throws fails the dream. */
export interface Dreamer {
  /** Why there is no model for it, if there is none. */
  modelProblem(): Promise<string | undefined>;
  dream(work: DreamWork): Promise<void>;
}
