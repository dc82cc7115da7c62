import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { Title } from './channel.js';
import { ActorId, AssetId, BoardId, EpochMs, SessionId } from './ids.js';

/** One immutable state of a board: an image or a text. */
export const BoardRevision = z.strictObject({
  revision: z.int().min(1),
  assetId: AssetId,
  mediaType: z.string(),
  createdBy: ActorId,
  createdAt: EpochMs,
});
export type BoardRevision = z.infer<typeof BoardRevision>;

/** A drawing or text of one session, with revisions. */
export const Board = z.strictObject({
  boardId: BoardId,
  sessionId: SessionId,
  title: Title,
  createdAt: EpochMs,
  updatedAt: EpochMs,
  /** The stored ones, oldest first. */
  revisions: z.array(BoardRevision),
});
export type Board = z.infer<typeof Board>;

/** Exactly one of `text`, `data` and `assetId`; the type is detected from the bytes. */
const content = {
  text: z.string().min(1).max(LIMITS.textChars).optional(),
  data: z
    .string()
    .regex(/^[A-Za-z0-9+/]*={0,2}$/)
    .max(Math.ceil(LIMITS.assetBytes / 3) * 4)
    .optional(),
  assetId: AssetId.optional(),
};

export const CreateBoard = z.strictObject({ title: Title, ...content });
export type CreateBoard = z.infer<typeof CreateBoard>;

export const ReviseBoard = z.strictObject({ title: Title.optional(), ...content });
export type ReviseBoard = z.infer<typeof ReviseBoard>;
