import type { ThreadPart, ThreadRange } from '@stoa/core';
import { type Message, textWithAssets } from '@stoa/protocol';
import { indentLines } from '../../envelope.js';

const MESSAGE_CHARS = 4_000;
/** Less than the limit for tool output, so that a page is not cut in the middle. */
const PAGE_CHARS = 24_000;

/** A page of a thread as text, with the position of the next page. */
export function threadText({ root, replies, hasMore }: ThreadPart, { after }: ThreadRange): string {
  const isForward = after !== undefined;
  const lines: string[] = [];
  let chars = 0;
  let shown = 0;
  for (const message of isForward ? replies : [...replies].reverse()) {
    const line = messageLine(message);
    chars += line.length;
    if (chars > PAGE_CHARS && shown > 0) break;
    shown += 1;
    lines.push(line);
  }
  if (!isForward) lines.reverse();
  const edge = isForward ? replies[shown - 1] : replies[replies.length - shown];
  const isCut = hasMore || shown < replies.length;
  const more = isCut && edge ? `${isForward ? 'after' : 'before'} ${String(edge.seq)}` : undefined;
  const skipped = isForward || isCut;
  return [
    messageLine(root),
    ...(skipped && lines.length > 0 ? ['[…]'] : []),
    ...lines,
    ...(replies.length === 0
      ? [isForward ? 'There are no newer replies.' : 'Nobody has replied.']
      : []),
    ...(more === undefined ? [] : [`There is more: ${more}.`]),
  ].join('\n');
}

function messageLine(message: Message): string {
  const { seq, messageId, author, inputItems, createdAt, deletedAt, reactions } = message;
  const text = textWithAssets(inputItems, (assetId) => `[attachment ${assetId}]`);
  const isCut = text.length > MESSAGE_CHARS;
  const shown = isCut ? `${text.slice(0, MESSAGE_CHARS).toWellFormed()} [cut]` : text;
  const who = author.kind === 'human' ? 'person' : author.kind;
  const marks = reactions.map(({ emoji, count }) => `${emoji} x${String(count)}`).join(' ');
  const name = author.displayName.replace(/\s+/g, ' ');
  return [
    `[${String(seq)}] ${messageId} ${new Date(createdAt).toISOString()} ${name} (${who}):`,
    deletedAt === undefined ? indentLines(shown) : '[deleted]',
    ...(marks === '' ? [] : [`[${marks}]`]),
  ].join(' ');
}
