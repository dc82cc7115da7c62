import type { Channel, Principal } from '@stoa/protocol';
import { StoaError } from '@stoa/protocol';
import type { ChannelListRow } from '@stoa/store';
import {
  countChannels,
  findChannel,
  listPins,
  listChannels as listRows,
  type Tx,
} from '@stoa/store';
import { channelToRead } from '../access/gate.js';
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
    const rows = yield* listRows.all({
      after: after ?? '',
      archived,
      pattern: query === undefined ? '' : `%${escapeLike(query.toLowerCase())}%`,
      limit: limit + 1,
    });
    const channels: Channel[] = [];
    for (const row of rows.slice(0, limit)) channels.push(yield* withPins(row));
    const last = channels.at(-1);
    return rows.length > limit && last ? { channels, nextAfter: last.channelId } : { channels };
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

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (mark) => `\\${mark}`);
