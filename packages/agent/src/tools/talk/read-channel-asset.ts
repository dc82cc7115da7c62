import type { ChannelAsset } from '@stoa/core';
import { AssetId, ChannelId } from '@stoa/protocol';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolFailure } from '../tool-failure.js';

/** Less than the limit for tool output, so that a page is not cut in the middle. */
const PAGE_CHARS = 24_000;

const ReadChannelAssetInput = z.strictObject({
  assetId: AssetId.describe('Id of a pinned or attached asset'),
  channelId: ChannelId.optional().describe(
    'A channel you are a member of; by default that of your turn',
  ),
  offset: z.int().min(0).default(0).describe('Characters to skip'),
});

export const readChannelAsset = defineTool({
  name: 'read_channel_asset',
  description: 'Reads a pinned or attached text in a channel you are a member of, page by page.',
  input: ReadChannelAssetInput,
  kind: 'read',
  title: ({ assetId }) => `Read ${assetId}`,
  subjects: () => [{ type: 'none' }],
  async execute({ assetId, channelId, offset }, { run }) {
    const channel = channelId ?? run.origin.channelId;
    if (channel === undefined) {
      throw new ToolFailure('Name a channelId: you do not have the turn in a channel.');
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
