import {
  type Channel,
  type Message,
  type MessagePage,
  type SearchHit,
  type Stamped,
  textWithAssets,
} from '@stoa/protocol';

type Envelope = typeof import('@stoa/agent').envelope;
type CutText = typeof import('@stoa/agent').cutText;

export interface WordsOptions {
  readonly envelope: Envelope;
  readonly cutText: CutText;
  readonly limitChars: number;
}

/**
 * Answers as text. Text of others is in an envelope that marks it: a model may read this, and for it these are
 * information and never instructions.
 */
export class Words {
  constructor(private readonly options: WordsOptions) {}

  channels(channels: readonly Channel[], nextAfter: string | undefined): string {
    const lines = channels.map(
      ({ channelId, title, messageCount, purpose }) =>
        `${channelId}: ${title} (${String(messageCount)} messages)${purpose === undefined ? '' : ` — ${purpose}`}`,
    );
    return this.#outside('the list of channels', [...lines, ...more('after', nextAfter)]);
  }

  messages(channelId: string, { messages, hasMore }: MessagePage): string {
    const lines = messages.map(messageLine);
    return this.#outside(`channel ${channelId}`, [
      ...lines,
      ...(hasMore ? ['There is more.'] : []),
    ]);
  }

  hits(query: string, hits: readonly SearchHit[]): string {
    const lines = hits.map(({ channelId, message }) => `${channelId} ${messageLine(message)}`);
    return this.#outside(`a search for ${query}`, lines);
  }

  journal(
    sessionId: string,
    { entries, nextAfter }: { readonly entries: readonly Stamped[]; readonly nextAfter?: number },
  ): string {
    const lines = entries.map(
      ({ seq, type, data }) => `${String(seq)} ${type} ${JSON.stringify(data)}`,
    );
    return this.#outside(`the journal of ${sessionId}`, [...lines, ...more('after', nextAfter)]);
  }

  records(what: string, records: readonly unknown[]): string {
    return this.#outside(
      `the list of ${what}`,
      records.map((record) => JSON.stringify(record)),
    );
  }

  #outside(source: string, lines: readonly string[]): string {
    const text = lines.length === 0 ? 'There is nothing.' : lines.join('\n');
    const { envelope, cutText, limitChars } = this.options;
    return envelope({ source, ids: ['mcp', source], text: cutText(text, limitChars) });
  }
}

const LINE_END = /\r\n?|[\n\u0085\u2028\u2029]/g;

function messageLine(message: Message): string {
  const { seq, messageId, author, inputItems, createdAt, replyCount, deletedAt } = message;
  const text = textWithAssets(inputItems, (assetId) => `[asset ${assetId}]`);
  const replies = replyCount > 0 ? `, ${String(replyCount)} replies` : '';
  // Indented, so that no line looks like a message of another author.
  const shown = deletedAt === undefined ? text.replace(LINE_END, '\n    ') : '[deleted]';
  return `[${String(seq)}] ${messageId} ${new Date(createdAt).toISOString()} ${author.displayName} (${author.id}${replies}): ${shown}`;
}

const more = (name: string, position: string | number | undefined): string[] =>
  position === undefined ? [] : [`There is more: ${name} ${String(position)}.`];
