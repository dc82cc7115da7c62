import type { TurnContext } from '../turns/context.js';

/** What every verb of stimuli works with: what one becomes may open a turn. */
export interface StimulusContext extends TurnContext {
  readonly daemonId: string;
}
