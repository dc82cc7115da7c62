import type { RunContext, TranscriptInput } from '@stoa/core';
import type { StoredItem, WorkKind } from '@stoa/protocol';
import { channelTurn, type TurnRules } from '../channel-turn.js';
import { envelope } from '../envelope.js';
import type { UserPart } from './model-client.js';

export type FindAsset = RunContext['assets']['find'];

export type Input = Omit<TranscriptInput, 'metadata' | 'origin'>;

/** Requests of people and schedules reach the model directly; all other input is in an envelope. */
const DIRECT: Readonly<Record<WorkKind, boolean>> = {
  input: true,
  schedule: true,
  resume: true,
  system: true,
  channel_delivery: false,
  mailbox_delivery: false,
  task_notice: false,
  team_task: false,
};

const SOURCES: Partial<Record<WorkKind, string>> = {
  channel_delivery: 'channel message from',
  mailbox_delivery: 'message from agent',
  task_notice: 'notice of a background task of',
  team_task: 'team task from',
};

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);
/** The limit of providers for one image. */
const IMAGE_BYTES = 5 * 1024 * 1024;

/** Converts inputs to the parts of one message. If there are several, each has its author. */
export async function inputParts(
  inputs: readonly Input[],
  findAsset: FindAsset,
  takesImages: boolean,
  rules?: TurnRules,
): Promise<UserPart[]> {
  const parts: UserPart[] = [];
  for (const input of inputs) {
    const images: UserPart[] = [];
    const lines: string[] = [];
    for (const item of input.inputItems) {
      if (item.type === 'text') lines.push(item.text);
      else lines.push(await attachment(item, findAsset, takesImages, images));
    }
    const text = lines.join('\n\n');
    parts.push(
      { type: 'text', text: attributed(input, text, inputs.length > 1, rules) },
      ...images,
    );
  }
  return parts;
}

export function attributed(
  input: Input,
  text: string,
  isOneOfSeveral: boolean,
  rules?: TurnRules,
): string {
  const { kind, from, fromName, itemId } = input;
  if (input.delivery) return channelTurn(input.delivery, input, text, rules);
  if (DIRECT[kind] && !from.startsWith('session:')) {
    return isOneOfSeveral ? `From ${oneLine(fromName)}:\n${text}` : text;
  }
  const subject = input.subject === undefined ? '' : `Subject: ${input.subject}\n\n`;
  const source = `${SOURCES[kind] ?? 'message from'} ${fromName} (${from})`;
  return envelope({ source, ids: [itemId], text: subject + text });
}

async function attachment(
  { assetId }: Extract<StoredItem, { type: 'asset_reference' }>,
  findAsset: FindAsset,
  takesImages: boolean,
  images: UserPart[],
): Promise<string> {
  const asset = await findAsset(assetId);
  if (!asset) return `[attachment ${assetId}, no longer available]`;
  const name = asset.name === undefined ? assetId : `${oneLine(asset.name)} (${assetId})`;
  const line = `attachment ${name}, ${oneLine(asset.mediaType)}, ${String(asset.size)} bytes`;
  const isShown = takesImages && IMAGE_TYPES.has(asset.mediaType) && asset.size <= IMAGE_BYTES;
  if (!isShown) return `[${line}]`;
  images.push({ type: 'image', mediaType: asset.mediaType, bytes: await asset.bytes() });
  return `[${line}, shown below]`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
