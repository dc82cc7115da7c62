import type { SessionContext } from '../sessions/context.js';

/** What every verb of stimuli works with: what one becomes may open a turn. */
export interface StimulusContext extends SessionContext {
  readonly daemonId: string;
}
