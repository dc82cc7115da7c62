import { z } from 'zod';
import { DURABILITIES, ENGINE_KINDS } from '../enumerations.js';
import { EpochMs } from './ids.js';

export const Durability = z.enum(DURABILITIES);
export type Durability = z.infer<typeof Durability>;
export const EngineKind = z.enum(ENGINE_KINDS);
export type EngineKind = z.infer<typeof EngineKind>;

export const Status = z.strictObject({
  version: z.string(),
  startedAt: EpochMs,
  engine: EngineKind,
  engineVersion: z.string(),
  schemaVersion: z.int(),
  durability: Durability,
  warnings: z.array(z.string()),
  channels: z.int(),
  streams: z.int(),
});
export type Status = z.infer<typeof Status>;

export const Backup = z.strictObject({
  path: z.string(),
  bytes: z.int(),
  durationMs: z.number(),
});
export type Backup = z.infer<typeof Backup>;

/** The result of the integrity check: problems of the engine, and projections that differ from their log. */
export const IntegrityReport = z.strictObject({
  ok: z.boolean(),
  topics: z.int(),
  events: z.int(),
  problems: z.array(z.string()),
});
export type IntegrityReport = z.infer<typeof IntegrityReport>;
