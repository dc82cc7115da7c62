import type { Channel, Principal } from '@stoa/protocol';
import { StoaError } from '@stoa/protocol';
import type { ChannelListRow } from '@stoa/store';
import {
  countChannels,
  findChannel,
  listChannelSizes,
  listPins,
  listChannels as listRows,
  type Tx,
} from '@stoa/store';
import { readPage } from '../kernel/paging.js';
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
    const filter = {
      after: after ?? '',
      archived,
      pattern: query === undefined ? '' : likePattern(query),
    };
    const { rows, resumeAfter } = yield* readPage(
      limit,
      (count) => listRows.all({ ...filter, limit: count }),
      { sizes: (count) => listChannelSizes.all({ ...filter, limit: count }) },
    );
    const channels: Channel[] = [];
    for (const row of rows) channels.push(yield* withPins(row));
    return { channels, ...(resumeAfter && { nextAfter: resumeAfter.channelId }) };
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
