import type { MemoryNote, Usage } from '@stoa/protocol';
import type { TranscriptEntry } from '../runs/transcript.js';
import type { DraftFolder } from './draft-folder.js';

/** The input of a dream, and how it reports its progress. */
export interface DreamWork {
  readonly namespace: string;
  readonly draft: DraftFolder;
  /** Oldest first. */
  readonly notes: readonly Pick<MemoryNote, 'noteId' | 'createdAt' | 'text'>[];
  /** The runs under this namespace since the last dream. */
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly entries: readonly TranscriptEntry[];
  }[];
  readonly signal: AbortSignal;
  /** Reports that something was read or written. */
  progressed(): void;
  /** Reports notes that are now in the files, and will be deleted. */
  fold(noteIds: readonly string[]): void;
  spent(usage: Usage, by: { readonly provider: string; readonly model: string }): Promise<void>;
}

/** Tidies the files of a memory with a model. An error fails the dream. */
export interface Dreamer {
  /** Why there is no model for dreams, if there is none. */
  modelProblem(): Promise<string | undefined>;
  dream(work: DreamWork): Promise<void>;
}
