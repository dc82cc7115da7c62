import {
  type Asset,
  actorIdOf,
  type Channel,
  channelTopic,
  LIMITS,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import { findAttachment, findPin, holdAsset, listPins, type Tx } from '@stoa/store';
import type { Decision } from '../kernel/log.js';
import { assertNotArchived, channelToRead, channelToSpeakIn } from './channel-gate.js';
import type { ChannelContext } from './context.js';
import { getChannel } from './read-channels.js';

/** A pinned asset cannot be deleted. Changes nothing if the asset is already in that state. */
export async function setPinned(
  context: ChannelContext,
  principal: Principal,
  channelId: string,
  assetId: string,
  pinned: boolean,
): Promise<Channel> {
  const topic = channelTopic(channelId);
  await context.log.write({
    actor: actorIdOf(principal),
    lane: topic,
    open: () => channelToSpeakIn(principal, channelId),
    *decide(channel): Tx<Decision<void>> {
      assertNotArchived(channel);
      const pin = yield* findPin.first({ topicId: channel.topicId, assetId });
      if ((pin !== undefined) === pinned) return { events: [], answer: () => undefined };
      if (pinned) yield* assertMayPin(channel.topicId, assetId);
      const type = pinned ? ('asset_pinned' as const) : ('asset_unpinned' as const);
      return { events: [{ topic, event: { type, data: { assetId } } }], answer: () => undefined };
    },
  });
  return getChannel(context, principal, channelId);
}

/** Anyone who may read a channel may read the assets that are pinned or attached there. */
export async function readChannelAsset(
  { store, assets }: ChannelContext,
  principal: Principal,
  channelId: string,
  assetId: string,
): Promise<{ asset: Asset; bytes: Uint8Array }> {
  await store.read(function* () {
    const { topicId } = yield* channelToRead(principal, channelId);
    const asset = { topicId, assetId };
    if ((yield* findPin.first(asset)) ?? (yield* findAttachment.first(asset))) return;
    throw new StoaError('asset_not_found', `There is no asset ${assetId} in ${channelId}`);
  });
  const asset = await assets.get(assetId);
  return { asset, bytes: await assets.read(asset) };
}

function* assertMayPin(topicId: number, assetId: string): Tx<void> {
  if (!(yield* holdAsset.first({ assetId }))) {
    throw new StoaError('asset_not_found', `There is no asset ${assetId}`);
  }
  const pins = yield* listPins.all({ topicId });
  if (pins.length >= LIMITS.pinnedAssets) {
    throw new StoaError(
      'limit_reached',
      `A channel has at most ${String(LIMITS.pinnedAssets)} pinned assets`,
    );
  }
}
