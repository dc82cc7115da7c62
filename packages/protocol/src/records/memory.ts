import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ChannelMemoryScopeMode } from './identity.js';
import { ActorId, ChannelId, EpochMs, RunId, SessionId } from './ids.js';

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
});
export type MemoryNote = z.infer<typeof MemoryNote>;
