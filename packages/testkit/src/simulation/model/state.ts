import type { Author, Member, StoredItem } from '@stoa/protocol';
import type { AssetRow, CredentialRow } from '@stoa/store';

/*
 * What a correct Stoa would hold, kept as plainly as can be: lists are searched and counted instead
 * of counted along, so that no counter here can be wrong in the same way as one there.
 */

export interface ModelEvent {
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface ModelTopic {
  readonly id: number;
  /** The event with sequence n is at n - 1, also when it is no longer kept. */
  readonly events: ModelEvent[];
  /** Events up to this sequence are no longer sent. */
  floor: number;
  /** What is behind the floor is also gone from the disk. */
  erased: boolean;
  /** So is everything else of the channel it was. */
  swept: boolean;
}

export interface ModelMessage {
  readonly messageId: string;
  readonly seq: number;
  readonly threadRootMessageId?: string;
  readonly replyToMessageId?: string;
  readonly author: Author;
  readonly addressedMemberIds: string[];
  readonly createdAt: number;
  inputItems: StoredItem[];
  editedAt?: number;
  deletedAt?: number;
  readonly reactions: { emoji: string; actorId: string }[];
}

export interface ModelChannel {
  readonly channelId: string;
  title: string;
  readonly createdBy: string;
  readonly createdAt: number;
  updatedAt: number;
  archivedAt?: number | undefined;
  members: Member[];
  readonly messages: ModelMessage[];
  pins: string[];
}

export interface ModelKey {
  readonly actor: string;
  readonly key: string;
  /** What was asked, as text. */
  readonly asked: string;
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
}

export interface ModelState {
  readonly humans: Map<string, { displayName: string; role: 'owner' | 'member' }>;
  readonly credentials: Map<string, CredentialRow>;
  readonly topics: Map<string, ModelTopic>;
  /** Those that can be reached. */
  readonly channels: Map<string, ModelChannel>;
  readonly assets: Map<string, AssetRow>;
  readonly keys: Map<string, ModelKey>;
  /** By human and topic. */
  readonly cursors: Map<string, number>;
}

export const emptyState = (): ModelState => ({
  humans: new Map(),
  credentials: new Map(),
  topics: new Map(),
  channels: new Map(),
  assets: new Map(),
  keys: new Map(),
  cursors: new Map(),
});

export const headOf = (state: ModelState, topic: string): number =>
  state.topics.get(topic)?.events.length ?? 0;

export const keyName = (actor: string, key: string): string => `${actor} ${key}`;
export const cursorName = (humanId: string, channelId: string): string => `${humanId} ${channelId}`;
