import { z } from 'zod';
import { ChannelId, Seq } from './ids.js';

/** How far one human has read one channel. Counts stop at a limit: "1000 or more". */
export const ReadCursor = z.strictObject({
  channelId: ChannelId,
  readSeq: Seq,
  unreadCount: z.int().min(0),
});
export type ReadCursor = z.infer<typeof ReadCursor>;

/** A cursor only moves forward; an older position is answered with the present one. */
export const MoveCursor = z.strictObject({ readSeq: Seq });
export type MoveCursor = z.infer<typeof MoveCursor>;
