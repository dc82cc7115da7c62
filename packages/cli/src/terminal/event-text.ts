import type { Stamped } from '@stoa/protocol';
import { bodyOf, type MessageStyle, postedText, withMargin } from './message-text.js';
import { printableLine } from './printable.js';
import { clockTime } from './times.js';

/** One event of a topic as `stoa tail` shows it. */
export function eventText(event: Stamped, style: MessageStyle): string {
  if (event.type === 'message_posted') return postedText(event, style);
  const when = style.paint.dim(clockTime(event.at, style.now));
  return `${when} ${style.paint.dim('*')} ${printableLine(event.actor)} ${deed(event)}`;
}

function deed(event: Exclude<Stamped, { type: 'message_posted' }>): string {
  switch (event.type) {
    case 'message_edited':
      return `edited ${event.data.messageId}: ${withMargin(bodyOf(event.data.inputItems))}`;
    case 'message_deleted':
      return `deleted ${event.data.messageId}`;
    case 'reaction_set':
      return `reacted ${printableLine(event.data.emoji)} to ${event.data.messageId}`;
    case 'reaction_unset':
      return `took ${printableLine(event.data.emoji)} back from ${event.data.messageId}`;
    case 'member_joined':
      return `added ${printableLine(event.data.member.displayName)}`;
    case 'member_updated':
      return `changed ${printableLine(event.data.member.displayName)}`;
    case 'member_left':
      return `removed ${printableLine(event.data.memberId)}`;
    case 'asset_pinned':
      return `pinned ${event.data.assetId}`;
    case 'asset_unpinned':
      return `unpinned ${event.data.assetId}`;
    case 'channel_created':
    case 'channel_updated':
    case 'channel_archived':
    case 'channel_unarchived':
    case 'channel_deleted':
      return `${event.type.slice('channel_'.length)} the channel`;
    // What stands in the topics of people and sessions, which are shown by other commands.
    default:
      return event.type.replaceAll('_', ' ');
  }
}
