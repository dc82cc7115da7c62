import type { SearchHit } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { messageText } from '../terminal/message-text.js';
import { printableLine } from '../terminal/printable.js';

export interface SearchOptions extends GlobalFlags {
  readonly channel?: string;
  readonly limit: number;
}

export async function search(
  context: Context,
  words: readonly string[],
  options: SearchOptions,
): Promise<void> {
  const hits = await context.client.search({
    query: words.join(' '),
    channelId: options.channel,
    limit: options.limit,
  });
  if (context.flags.json) context.json({ hits });
  else if (hits.length === 0) context.say('nothing found');
  else for (const hit of hits) context.line(hitText(context, hit));
}

function hitText({ paint, io }: Context, hit: SearchHit): string {
  const where = paint.cyan(`${printableLine(hit.channelId)} #${hit.seq}`);
  return `${where} ${messageText(hit.message, { paint, now: io.now(), ids: false })}`;
}
