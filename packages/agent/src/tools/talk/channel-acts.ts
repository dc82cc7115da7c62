import type { RunContext } from '@stoa/core';
import type { Message } from '@stoa/protocol';

interface ChannelReaction {
  readonly messageId: string;
  readonly emoji: string;
  /** Taken back rather than set. */
  readonly remove: boolean;
}

export interface ThreadPlace {
  readonly channelId: string;
  /** Any message of the thread. */
  readonly messageId: string;
}

export interface ThreadCut {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** A part of a thread: what it began with, and some of what followed, oldest first. */
export interface ThreadPart {
  readonly root: Message;
  readonly replies: readonly Message[];
  readonly hasMore: boolean;
}

/** What a session does in channels, as itself. Each throws a StoaError when it may not. */
export interface ChannelActs {
  /** Resolves when it is durable. Setting one that is there, or taking back one that is not, changes nothing. */
  react(run: RunContext, channelId: string, reaction: ChannelReaction): Promise<void>;
  readThread(run: RunContext, place: ThreadPlace, cut: ThreadCut): Promise<ThreadPart>;
}
