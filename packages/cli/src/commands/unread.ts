import type { Context, GlobalFlags } from '../context.js';

export interface UnreadOptions extends GlobalFlags {
  readonly all?: boolean;
}

/** Where the daemon stops counting (`LIMITS.unreadCount`). */
export const COUNT_LIMIT = 1_000;

export async function unread(
  context: Context,
  _args: readonly string[],
  options: UnreadOptions,
): Promise<void> {
  const all = await context.client.unread();
  const cursors = options.all ? all : all.filter(({ unreadCount }) => unreadCount > 0);
  context.answer({ cursors }, () =>
    cursors.length === 0
      ? 'No unread messages.'
      : context.table(
          [
            { title: 'CHANNEL' },
            { title: 'UNREAD', align: 'right' },
            { title: 'READ UP TO', align: 'right' },
          ],
          cursors.map(({ channelId, unreadCount, readSeq }) => [
            channelId,
            unreadCount >= COUNT_LIMIT ? `${COUNT_LIMIT}+` : String(unreadCount),
            String(readSeq),
          ]),
        ),
  );
}
