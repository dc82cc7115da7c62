import type { Channel, Principal } from '@stoa/protocol';
import { LIMITS, StoaError } from '@stoa/protocol';
import type { ChannelListRow } from '@stoa/store';
import {
  countChannels,
  findChannel,
  listChannelSizes,
  listPins,
  listChannels as listRows,
  type Tx,
} from '@stoa/store';
import { countWithin } from '../kernel/page-bytes.js';
import { channelToRead } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { channelRecord } from './records.js';

export function getChannel(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
): Promise<Channel> {
  return context.store.read(function* () {
    yield* channelToRead(principal, channelId);
    const row = yield* findChannel.first({ channelId });
    if (!row) throw new StoaError('channel_not_found', `There is no channel ${channelId}`);
    return yield* withPins(row);
  });
}

export interface ChannelQuery {
  readonly query?: string | undefined;
  readonly archived: 'exclude' | 'include' | 'only';
  readonly after?: string | undefined;
  readonly limit: number;
}

export function listChannels(
  context: ChannelContext,
  { query, archived, after, limit }: ChannelQuery,
): Promise<{ channels: Channel[]; nextAfter?: string }> {
  return context.store.read(function* () {
    const page = {
      after: after ?? '',
      archived,
      pattern: query === undefined ? '' : likePattern(query),
    };
    const sizes = yield* listChannelSizes.all({ ...page, limit: limit + 1 });
    const count = countWithin(sizes.slice(0, limit), LIMITS.pageBytes);
    const rows = count === 0 ? [] : yield* listRows.all({ ...page, limit: count });
    const channels: Channel[] = [];
    for (const row of rows) channels.push(yield* withPins(row));
    const last = channels.at(-1);
    return sizes.length > count && last ? { channels, nextAfter: last.channelId } : { channels };
  });
}

export function channelCount(context: ChannelContext): Promise<number> {
  return context.store.read(function* () {
    return (yield* countChannels.first({}))?.count ?? 0;
  });
}

function* withPins(row: ChannelListRow): Tx<Channel> {
  const pins = yield* listPins.all({ topicId: row.topicId });
  return channelRecord(
    row,
    pins.map((pin) => pin.assetId),
  );
}

/** A pattern of texts that contain this one, in upper or lower case. */
export const likePattern = (text: string): string => `%${escapeLike(lowerAscii(text))}%`;

/** Like `lower()` of both engines, which changes only ASCII letters. */
const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (mark) => `\\${mark}`);
