import { leaseOutcomeWords, turnOutcomeWords } from '@stoa/client';
import type { LeaseOutcome, Stamped } from '@stoa/protocol';
import { bodyOf, type MessageStyle, postedText, withMargin } from './message-text.js';
import { printableLine } from './printable.js';
import { clockTime } from './times.js';

/** One event of a topic as `stoa tail` shows it; undefined for what is no news to a person who watches. */
export function eventText(event: Stamped, style: MessageStyle): string | undefined {
  if (event.type === 'message_posted') return postedText(event, style);
  if (event.type === 'turn_decided') return turnText(event, style);
  if (isAboutStimuli(event)) {
    const news = stimulusNews(event);
    return news === undefined
      ? undefined
      : style.paint.dim(`${clockTime(event.at, style.now)} * ${news}`);
  }
  const when = style.paint.dim(clockTime(event.at, style.now));
  return `${when} ${style.paint.dim('*')} ${printableLine(event.actor)} ${deed(event)}`;
}

/** The live view shows the message or the reaction itself. */
const SEEN_OTHERWISE: ReadonlySet<LeaseOutcome> = new Set(['spoke', 'reacted']);

/** The outcome of a turn without a message, who got one, and how it ended; `stoa why` shows the rest. */
function turnText(event: EventOf<'turn_decided'>, style: MessageStyle): string | undefined {
  const { granted, ended, turn } = event.data;
  const ends = ended.flatMap((end) =>
    SEEN_OTHERWISE.has(end.outcome)
      ? []
      : [`${printableLine(end.memberId ?? 'an agent')} ${printableLine(leaseOutcomeWords(end))}`],
  );
  const hasFailure = ended.some(({ outcome }) => outcome === 'failed');
  const given = granted.map(({ memberId }) => printableLine(memberId)).join(', ');
  const news = [
    ...ends,
    ...(given === '' ? [] : [`${given} ${granted.length === 1 ? 'has' : 'have'} the turn`]),
    ...(turn.outcome && given === ''
      ? [`the turn is over: ${turnOutcomeWords(turn.outcome)}`]
      : []),
    ...(!hasFailure ? [] : [`see: stoa why ${turn.originMessageId}`]),
  ];
  if (news.length === 0) return undefined;
  return style.paint.dim(`${clockTime(event.at, style.now)} * ${news.join('; ')}`);
}

type EventOf<T extends Stamped['type']> = Extract<Stamped, { type: T }>;

type AboutStimuli = EventOf<Extract<Stamped['type'], `stimulus_${string}`> | 'thread_work_changed'>;

const isAboutStimuli = (event: Stamped): event is AboutStimuli =>
  event.type.startsWith('stimulus_') || event.type === 'thread_work_changed';

/** A posted stimulus is visible as a message; the live view only reports why there is none. */
function stimulusNews(event: AboutStimuli): string | undefined {
  if (event.type !== 'stimulus_settled' || event.data.state === 'superseded') return undefined;
  const { stimulusId, state, reason } = event.data;
  return `${stimulusId} is ${state.replaceAll('_', ' ')}: ${reason.replaceAll('_', ' ')}`;
}

type Other = Exclude<Stamped, EventOf<'message_posted' | 'turn_decided'> | AboutStimuli>;

function deed(event: Other): string {
  switch (event.type) {
    case 'message_edited':
      return `edited ${event.data.messageId}: ${withMargin(bodyOf(event.data.inputItems))}`;
    case 'message_deleted':
      return `deleted ${event.data.messageId}`;
    case 'reaction_set':
      return `reacted with ${printableLine(event.data.emoji)} to ${event.data.messageId}`;
    case 'reaction_unset':
      return `removed the reaction ${printableLine(event.data.emoji)} from ${event.data.messageId}`;
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
    // Events in the topics of people and sessions, which other commands show.
    default:
      return event.type.replaceAll('_', ' ');
  }
}
