import { z } from 'zod';
import { DREAM_GATES, MEMORY_PARTS } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { ChannelMemoryScopeMode } from './identity.js';
import { ActorId, ChannelId, EpochMs, RunId, SessionId, TaskId } from './ids.js';

/** Derived from the owner and the namespace, so that there is one memory for each. */
export const MemoryId = z.string().regex(/^mem_[0-9a-f]{40}$/);
export const NoteId = z.string().regex(/^nte_[0-9a-z]{26}$/);
export const NoteText = z.string().max(LIMITS.memoryNoteChars).regex(/\S/);

/** What the sessions of one person remember under one namespace. */
export const Memory = z.strictObject({
  memoryId: MemoryId,
  /** The person of the sessions. */
  ownerId: ActorId,
  namespace: z.string(),
  noteCount: z.int().min(0),
  updatedAt: EpochMs,
});
export type Memory = z.infer<typeof Memory>;

/** Something that a session chose to remember. */
export const MemoryNote = z.strictObject({
  noteId: NoteId,
  text: NoteText,
  createdAt: EpochMs,
  sessionId: SessionId,
  runId: RunId,
  channelId: ChannelId.optional(),
  /** The memory mode of its run. `isolated` notes are read under their own namespace only. */
  mode: ChannelMemoryScopeMode,
  /** Extracted from the text of a run after it ended; absent if an agent chose to remember it. */
  source: z.literal('extracted').optional(),
});
export type MemoryNote = z.infer<typeof MemoryNote>;

/** Plain names only: no path, nothing hidden. `INDEX.md` has a line for each other file. */
export const MemoryFileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,95}\.md$/);

/**
 * Which files of a memory: those that every namespace may read, or those with what was learnt while the memory was
 * `isolated`, which are read under their own namespace only.
 */
export const MemoryPart = z.enum(MEMORY_PARTS);
export type MemoryPart = z.infer<typeof MemoryPart>;

/** A topic of the long-term memory: a Markdown file that people may edit. */
export const MemoryFile = z.strictObject({
  name: MemoryFileName,
  part: MemoryPart,
  text: z.string(),
  updatedAt: EpochMs,
});
export type MemoryFile = z.infer<typeof MemoryFile>;

/** A file that is ignored, and why. */
export const MemoryFileProblem = z.strictObject({
  name: z.string(),
  part: MemoryPart,
  problem: z.string(),
});
export type MemoryFileProblem = z.infer<typeof MemoryFileProblem>;

export const MemoryFileList = z.strictObject({
  files: z.array(MemoryFile),
  problems: z.array(MemoryFileProblem),
  /** Their directories on the daemon's machine; for the owner only. */
  directories: z.strictObject({ shared: z.string(), isolated: z.string() }).optional(),
});
export type MemoryFileList = z.infer<typeof MemoryFileList>;

export const PutMemoryFile = z.strictObject({
  text: z.string().max(LIMITS.memoryFileBytes),
  /** Default: `shared`. */
  part: MemoryPart.optional(),
});

/** What prevents a dream, in the order of the checks. */
export const DreamGate = z.enum(DREAM_GATES);
export type DreamGate = z.infer<typeof DreamGate>;

export const DreamRefusal = z.strictObject({ gate: DreamGate, reason: z.string() });
export type DreamRefusal = z.infer<typeof DreamRefusal>;

/** Whether a dream would start now, and the result of the last check. */
export const DreamStatus = z.strictObject({
  part: MemoryPart,
  /** Why not; absent if the next run may start it. */
  refusal: DreamRefusal.optional(),
  lastDreamAt: EpochMs.optional(),
  sessionsSince: z.int().min(0),
  lastCheck: z.strictObject({ at: EpochMs, refusal: DreamRefusal.optional() }).optional(),
  /** The background task that is dreaming. */
  taskId: TaskId.optional(),
});
export type DreamStatus = z.infer<typeof DreamStatus>;
