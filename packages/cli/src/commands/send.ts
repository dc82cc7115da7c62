import fs from 'node:fs';
import path from 'node:path';
import type { InputItem, PostMessage } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { bodyOf } from '../terminal/message-text.js';
import { printable } from '../terminal/printable.js';
import { textFrom } from './message-input.js';

export interface SendOptions extends GlobalFlags {
  readonly replyTo?: string;
  readonly thread?: string;
  readonly to?: readonly string[];
  readonly attach?: readonly string[];
  readonly key?: string;
}

/** The bound of the contract (`LIMITS.assetBytes`), so that no huge file is read to be refused. */
export const ASSET_BYTES = 12 * 1024 * 1024;

export async function send(
  context: Context,
  [channelId = '', ...words]: readonly string[],
  options: SendOptions,
): Promise<void> {
  const files = (options.attach ?? []).map(readAttachment);
  if (words.length === 0 && files.length === 0) {
    throw new UsageError(
      'there is nothing to send',
      'give the text, or - to read it from standard input, or --attach FILE',
    );
  }
  const texts = words.length === 0 ? [] : [await textFrom(context, words)];
  const assets: InputItem[] = [];
  for (const { name, bytes } of files) {
    const { assetId } = await context.client.assets.upload(bytes, { name });
    assets.push({ type: 'asset_reference', assetId });
  }
  const [text] = texts;
  const content: PostMessage =
    assets.length === 0 && text !== undefined
      ? { text }
      : {
          inputItems: [...texts.map((each) => ({ type: 'text' as const, text: each })), ...assets],
        };
  const message = await context.client.messages.post(
    channelId,
    {
      ...content,
      replyToMessageId: options.replyTo,
      threadRootMessageId: options.thread,
      addressedMemberIds: options.to === undefined ? undefined : [...options.to],
    },
    { idempotencyKey: options.key },
  );
  // What was a command is answered by the system in words.
  const isAnswer = message.author.kind === 'system';
  context.answer(message, () =>
    isAnswer ? printable(bodyOf(message.inputItems)) : message.messageId,
  );
}

function readAttachment(file: string): { name: string; bytes: Uint8Array } {
  try {
    const { size } = fs.statSync(file);
    if (size <= ASSET_BYTES) return { name: path.basename(file), bytes: fs.readFileSync(file) };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new UsageError(`${file} is larger than 12 MiB`);
}
