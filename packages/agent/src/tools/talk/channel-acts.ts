import type { RunContext } from '@stoa/core';
import type { Asset, Message } from '@stoa/protocol';

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

export interface ChannelAsset {
  readonly asset: Pick<Asset, 'assetId' | 'name' | 'mediaType' | 'bytes'>;
  readonly bytes: Uint8Array;
}

/** What a session does in channels, as itself. Each throws a StoaError when it may not. */
export interface ChannelActs {
  /** Resolves when it is durable. Setting one that is there, or taking back one that is not, changes nothing. */
  react(run: RunContext, channelId: string, reaction: ChannelReaction): Promise<void>;
  /** Something that is pinned or attached in a channel. */
  readAsset(run: RunContext, channelId: string, assetId: string): Promise<ChannelAsset>;
  readThread(run: RunContext, place: ThreadPlace, cut: ThreadCut): Promise<ThreadPart>;
}
