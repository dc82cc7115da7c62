import type { ErrorCode, Principal } from '@stoa/protocol';
import type { Operation } from '../operation.js';
import type { ModelChannel, ModelEvent, ModelMessage, ModelState } from './state.js';

export type Person = Extract<Principal, { kind: 'human' }>;

export interface Asked<O extends Operation = Operation> {
  readonly by: Person;
  readonly operation: O;
  readonly key: string | undefined;
  readonly at: number;
  /** Values that only the program can choose, taken from its results. */
  readonly chosen: Chosen;
}

interface Chosen {
  readonly messageId?: string | undefined;
  readonly channelId?: string | undefined;
  readonly credentialId?: string | undefined;
  /** Of the assets that came with the operation, in order. */
  readonly assetIds: readonly string[];
}

export type NewModelEvent = Pick<ModelEvent, 'topic' | 'type' | 'data'> & {
  readonly actor?: string;
};

/** What has to become of a write, given everything that was committed before it. */
export type Verdict =
  | { readonly kind: 'refused'; readonly code: ErrorCode }
  | { readonly kind: 'replayed'; readonly answer: unknown }
  | { readonly kind: 'done'; readonly events: readonly NewModelEvent[] };

export const refused = (code: ErrorCode): Verdict => ({ kind: 'refused', code });
export const done = (...events: readonly NewModelEvent[]): Verdict => ({ kind: 'done', events });

export const actorOf = ({ id }: Person): string => `human:${id}`;

const isMember = (channel: ModelChannel, by: Person): boolean =>
  channel.members.some(({ actorId }) => actorId === actorOf(by));

export const mayModerate = (channel: ModelChannel, by: Person): boolean =>
  by.owner || channel.createdBy === actorOf(by);

export const messageIn = (channel: ModelChannel, messageId: string): ModelMessage | undefined =>
  channel.messages.find((message) => message.messageId === messageId);

export const inChannel = (channelId: string, type: string, data: object): NewModelEvent => ({
  topic: `channel:${channelId}`,
  type,
  data: data as ModelEvent['data'],
});

/** For what only members of a channel that is not archived may do. */
export function spoken(
  state: ModelState,
  { by }: Asked,
  channelId: string,
  decide: (channel: ModelChannel) => Verdict,
): Verdict {
  const channel = state.channels.get(channelId);
  if (!channel) return refused('channel_not_found');
  if (!isMember(channel, by)) return refused('not_member');
  if (channel.archivedAt !== undefined) return refused('channel_archived');
  return decide(channel);
}
