import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { defineDriver } from './spec.js';

/** Plays a script: a file in the workspace, or the script itself. */
export const ScriptDriver = z.strictObject({
  kind: z.literal('script'),
  file: z.string().min(1).max(4_096).optional(),
  script: z.string().max(LIMITS.instructionsChars).optional(),
});

export const SCRIPT_DRIVER = defineDriver({
  kind: 'script',
  schema: ScriptDriver,
  capabilities: { inject: true },
  usesOwnerKeys: false,
  usesStoaTools: true,
  extractsNotes: false,
});
