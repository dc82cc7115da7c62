import { z } from 'zod';
import { LIMITS } from '../limits.js';

/** Variables for a program; a value `$NAME` is taken from the environment of the daemon. */
export const Environment = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/),
  z.string().max(LIMITS.textChars),
);
