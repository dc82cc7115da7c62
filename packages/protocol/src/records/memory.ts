import { z } from 'zod';
import { DREAM_GATES, MEMORY_PARTS } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { ChannelMemoryScopeMode } from './identity.js';
import { ActorId, ChannelId, EpochMs, RunId, SessionId, TaskId } from './ids.js';

/** Follows from whose memory it is and from its namespace, so that there is one of each. */
export const MemoryId = z.string().regex(/^mem_[0-9a-f]{40}$/);
export const NoteId = z.string().regex(/^nte_[0-9a-z]{26}$/);
export const NoteText = z.string().max(LIMITS.memoryNoteChars).regex(/\S/);

/** What the sessions of one person remember under one namespace. */
export const Memory = z.strictObject({
  memoryId: MemoryId,
  /** The person whose sessions keep it. */
  ownerId: ActorId,
  namespace: z.string(),
  noteCount: z.int().min(0),
  updatedAt: EpochMs,
});
export type Memory = z.infer<typeof Memory>;

/** Something a session chose to remember. */
export const MemoryNote = z.strictObject({
  noteId: NoteId,
  text: NoteText,
  createdAt: EpochMs,
  sessionId: SessionId,
  runId: RunId,
  channelId: ChannelId.optional(),
  /** That of the run that kept it. What was kept as `isolated` is read under its own namespace only. */
  mode: ChannelMemoryScopeMode,
  /** Taken from what was said by a look back at the run; without it an agent chose to keep it. */
  source: z.literal('extracted').optional(),
});
export type MemoryNote = z.infer<typeof MemoryNote>;

/** Plain names only: no path, nothing hidden. `INDEX.md` has a line for each of the others. */
export const MemoryFileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,95}\.md$/);

/**
 * Which files of a memory: those that every namespace may read, or those that hold what was learnt while the
 * memory was `isolated`, which are read under their own namespace only.
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

/** A file that lies there and is not read, and why. */
export const MemoryFileProblem = z.strictObject({
  name: z.string(),
  part: MemoryPart,
  problem: z.string(),
});
export type MemoryFileProblem = z.infer<typeof MemoryFileProblem>;

export const MemoryFileList = z.strictObject({
  files: z.array(MemoryFile),
  problems: z.array(MemoryFileProblem),
  /** Where they lie on the machine of the daemon; told to its owner. */
  directories: z.strictObject({ shared: z.string(), isolated: z.string() }).optional(),
});
export type MemoryFileList = z.infer<typeof MemoryFileList>;

export const PutMemoryFile = z.strictObject({
  text: z.string().max(LIMITS.memoryFileBytes),
  /** `shared` unless it is said. */
  part: MemoryPart.optional(),
});

/** What keeps a memory from being put in order, in the order in which it is looked at. */
export const DreamGate = z.enum(DREAM_GATES);
export type DreamGate = z.infer<typeof DreamGate>;

export const DreamRefusal = z.strictObject({ gate: DreamGate, reason: z.string() });
export type DreamRefusal = z.infer<typeof DreamRefusal>;

/** Whether a memory would be put in order now, and what came of it when that was last looked at. */
export const DreamStatus = z.strictObject({
  part: MemoryPart,
  /** Why not; absent when the next run there may begin it. */
  refusal: DreamRefusal.optional(),
  lastDreamAt: EpochMs.optional(),
  sessionsSince: z.int().min(0),
  lastCheck: z.strictObject({ at: EpochMs, refusal: DreamRefusal.optional() }).optional(),
  /** The background task that is at it. */
  taskId: TaskId.optional(),
});
export type DreamStatus = z.infer<typeof DreamStatus>;
