import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ActorId, AssetId, EpochMs } from './ids.js';

/** The media type is detected from the bytes, never taken from the caller. */
export const Asset = z.strictObject({
  assetId: AssetId,
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  mediaType: z.string(),
  bytes: z.int().min(0),
  name: z.string().optional(),
  createdBy: ActorId,
  createdAt: EpochMs,
});
export type Asset = z.infer<typeof Asset>;

export const AssetName = z.string().min(1).max(LIMITS.titleChars);
