import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { defineDriver } from './spec.js';

/** Stoa's own agent loop; provider and model default to those of the configuration. */
export const BuiltinDriver = z.strictObject({
  kind: z.literal('builtin'),
  provider: z.string().min(1).max(LIMITS.titleChars).optional(),
  model: z.string().min(1).max(LIMITS.titleChars).optional(),
  maxSteps: z.int().min(1).max(1_000).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  contextTokens: z.int().min(1_000).max(10_000_000).optional(),
});

export const BUILTIN_DRIVER = defineDriver({
  kind: 'builtin',
  schema: BuiltinDriver,
  capabilities: { inject: true },
  usesOwnerKeys: true,
  usesStoaTools: true,
  extractsNotes: true,
});
