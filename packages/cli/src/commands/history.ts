import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { messageText } from '../terminal/message-text.js';

export interface HistoryOptions extends GlobalFlags {
  readonly thread?: string;
  readonly feed?: boolean;
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
  readonly ids?: boolean;
  readonly markRead?: boolean;
}

export async function history(
  context: Context,
  [channelId = '']: readonly string[],
  options: HistoryOptions,
): Promise<void> {
  if (options.before !== undefined && options.after !== undefined) {
    throw new UsageError('--before and --after cannot be combined', 'give one of them');
  }
  const page = await context.client.messages.list(channelId, {
    threadRootMessageId: options.thread,
    scope: options.feed ? 'feed' : 'all',
    before: options.before,
    after: options.after,
    limit: options.limit,
  });
  const style = { paint: context.paint, now: context.io.now(), ids: options.ids ?? false };
  if (context.flags.json) context.json(page);
  else for (const message of page.messages) context.line(messageText(message, style));
  const last = page.messages.at(-1);
  if (options.markRead && last) await context.client.cursor.move(channelId, last.seq);
  if (page.hasMore && !context.flags.json && context.io.errIsTerminal) {
    context.say(
      options.after === undefined
        ? `earlier messages: --before ${page.messages.at(0)?.seq ?? 0}`
        : `later messages: --after ${last?.seq ?? 0}`,
    );
  }
}
