import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { PermissionMode } from './agent.js';
import { ActorId, SessionId } from './ids.js';

/**
 * Limits a piece of work because of who asked for it. Work without a ceiling may do what its session may. Everything
 * that the work creates inherits its ceiling.
 */
export const Ceiling = z.strictObject({
  /** The highest mode the work may have. */
  mode: PermissionMode,
  /** The people who asked for it, or through whose sessions the request came. */
  people: z.array(ActorId).max(LIMITS.ceilingPeople),
  /** The sessions that forwarded the request: their modes, deny rules and ask rules also apply to the work. */
  sessions: z.array(SessionId).max(LIMITS.ceilingSessions),
});
export type Ceiling = z.infer<typeof Ceiling>;

/** Who asked for a piece of work, and the resulting ceiling. */
export const requested = {
  /** Who asked for it, if that is not the actor it came from. */
  requestedBy: ActorId.optional(),
  ceiling: Ceiling.optional(),
};
