import type { Asset, Message, Origin } from '@stoa/protocol';
import { defineHook } from '../kernel/hooks.js';

interface ChannelReaction {
  readonly messageId: string;
  readonly emoji: string;
  /** Remove the reaction instead of setting it. */
  readonly remove: boolean;
}

export interface ThreadLocation {
  readonly channelId: string;
  /** Any message of the thread. */
  readonly messageId: string;
}

export interface ThreadRange {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The first message of a thread and some of its replies, oldest first. */
export interface ThreadPart {
  readonly root: Message;
  readonly replies: readonly Message[];
  readonly hasMore: boolean;
}

export interface ChannelAsset {
  readonly asset: Pick<Asset, 'assetId' | 'name' | 'mediaType' | 'bytes'>;
  readonly bytes: Uint8Array;
}

/** What a session does in channels. Its membership decides what it may do. */
export interface ChannelActions {
  /** Setting a reaction that exists, or removing one that does not, changes nothing. */
  react(channelId: string, reaction: ChannelReaction): Promise<void>;
  /** An asset that is pinned or attached in the channel. */
  readAsset(channelId: string, assetId: string): Promise<ChannelAsset>;
  readThread(location: ThreadLocation, range: ThreadRange): Promise<ThreadPart>;
}

/**
 * What a run does to the domain. The session of the run is the principal of every action, no matter what the arguments contain.
 * An action waits while the store is unavailable, until the run ends. Repeating an action with the same `callId`
 * has no further effect. Each action resolves when its effect is durable and throws a StoaError when it is refused.
 *
 * Modules above runs add their actions to this interface and handle `RUN_ACTIONS`.
 */
export interface RunActions {
  readonly channels: ChannelActions;
}

/** The run that acts, as its session. */
export interface ActingRun {
  readonly sessionId: string;
  readonly runId: string;
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

/** Builds the actions of a run. */
export const RUN_ACTIONS = defineHook<[run: ActingRun], Partial<RunActions>>('run actions');
