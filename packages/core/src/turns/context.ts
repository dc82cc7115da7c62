import type { SessionContext } from '../sessions/context.js';

/** What every verb of turns works with: granting one is accepting an item into a session. */
export interface TurnContext {
  readonly sessions: SessionContext;
}

/** A channel whose row is locked. */
export interface LockedChannel {
  readonly topicId: number;
  readonly channelId: string;
}
