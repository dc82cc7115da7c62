import { z } from 'zod';
import { ACP_PRESETS } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { Environment } from './environment.js';
import { defineDriver } from './spec.js';

export const AcpPreset = z.enum(ACP_PRESETS);
export type AcpPreset = z.infer<typeof AcpPreset>;

/** An agent program that speaks ACP. A preset fills in the command. */
export const AcpDriver = z.strictObject({
  kind: z.literal('acp'),
  preset: AcpPreset.optional(),
  command: z.array(z.string().min(1).max(4_096)).min(1).max(100).optional(),
  env: Environment.optional(),
  model: z.string().min(1).max(LIMITS.titleChars).optional(),
});

export const ACP_DRIVER = defineDriver({
  kind: 'acp',
  schema: AcpDriver,
  // Version 1 of ACP takes nothing in the middle of a turn.
  capabilities: { inject: false, readsWithoutApproval: true },
  usesOwnerKeys: true,
  // The program brings its own.
  usesStoaTools: false,
  extractsNotes: false,
  // A preset puts its own arguments behind the command, so that the program asks before it acts.
  program: ({ command, preset }) => command ?? [preset ?? 'unknown'],
  secrets: { field: 'env', recipient: ({ preset, command }) => [preset ?? null, command ?? null] },
});
