import type { Client } from '@stoa/client';

/** The pages before and after a position in the log of a channel; at its end only the one before. */
export async function readAround(
  { messages }: { readonly messages: Pick<Client['messages'], 'list'> },
  channelId: string,
  seq: number | undefined,
  limit: number,
) {
  if (seq === undefined) return [await messages.list(channelId, { limit })] as const;
  return Promise.all([
    messages.list(channelId, { before: seq + 1, limit }),
    messages.list(channelId, { after: seq, limit }),
  ]);
}
