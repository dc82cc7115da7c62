import type { ChannelAsset } from '@stoa/core';
import { AssetId, ChannelId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

/** Below what a tool may answer: what is left out is on the next page and not in the middle. */
const PAGE_CHARS = 24_000;

const ReadChannelAssetInput = z.strictObject({
  assetId: AssetId.describe('Something pinned or attached, as you were told of it'),
  channelId: ChannelId.optional().describe('A channel you are a member of; else that of your turn'),
  offset: z.int().min(0).default(0).describe('Characters to leave out at the beginning'),
});
type ReadChannelAssetInput = z.infer<typeof ReadChannelAssetInput>;

export const readChannelAsset = defineTool<ReadChannelAssetInput>({
  name: 'read_channel_asset',
  description:
    'Reads what is pinned or attached in a channel you are a member of, as far as it is text, page ' +
    'by page.',
  input: ReadChannelAssetInput,
  kind: 'read',
  title: ({ assetId }) => `Read ${assetId}`,
  subjects: () => Promise.resolve([{ type: 'none' }]),
  async execute({ assetId, channelId, offset }, { run }) {
    const channel = channelId ?? run.origin.channelId;
    if (channel === undefined) {
      throw new ToolFailure('Name a channelId: you have the turn in no channel.');
    }
    return { text: assetText(await run.channels.readAsset(channel, assetId), offset) };
  },
});

function assetText({ asset, bytes }: ChannelAsset, offset: number): string {
  const text = textOf(bytes);
  if (text === undefined) {
    const { assetId, mediaType } = asset;
    throw new ToolFailure(
      `${assetId} is ${mediaType} of ${String(asset.bytes)} bytes: it cannot be shown as text.`,
    );
  }
  const page = text.slice(offset, offset + PAGE_CHARS).toWellFormed();
  const end = offset + PAGE_CHARS;
  if (end < text.length) return `${page}\nThere is more: offset ${String(end)}.`;
  return page === '' ? 'There is nothing here.' : page;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
