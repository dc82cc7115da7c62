import type { SessionContext } from '../sessions/context.js';

/** What the operations of stimuli work with. */
export interface StimulusContext extends SessionContext {
  readonly daemonId: string;
}
