import type { LeaseOutcome, Stamped, StampedDecision, StimulusKind, Turn } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';
import { type StimulusStep, stimulusStep } from './stimulus-words.js';
import { workNews } from './work-words.js';

/** A right to speak: from when to when, and its outcome. */
export interface LeaseSpan {
  readonly leaseId: string;
  readonly memberId: string;
  readonly runId: string;
  readonly from: number;
  until: number | undefined;
  outcome: LeaseOutcome | undefined;
  reason?: string;
  detail?: string;
  unpublishedChars?: number;
}

interface Excerpt {
  readonly author: string;
  readonly text: string;
}

export interface TurnEntry {
  readonly kind: 'turn';
  readonly key: string;
  readonly at: number;
  readonly seq: number;
  /** As the last decision left it. */
  turn: Turn;
  readonly opening: Excerpt | undefined;
  readonly leases: LeaseSpan[];
  readonly decisions: StampedDecision[];
}

export interface StimulusEntry {
  readonly kind: 'stimulus';
  readonly key: string;
  readonly at: number;
  readonly seq: number;
  readonly stimulusKind: StimulusKind | undefined;
  readonly content: string | undefined;
  readonly steps: StimulusStep[];
  messageId: string | undefined;
}

export interface WorkEntry {
  readonly kind: 'work';
  readonly key: string;
  readonly at: number;
  readonly seq: number;
  readonly rootMessageId: string;
  readonly opening: Excerpt | undefined;
  readonly news: readonly string[];
}

export interface ChannelEntry {
  readonly kind: 'channel';
  readonly key: string;
  readonly at: number;
  readonly seq: number;
  readonly news: string;
}

export type Entry = TurnEntry | StimulusEntry | WorkEntry | ChannelEntry;

/** Whether the timeline uses this event. It uses messages for their text. */
export function isShown({ type }: Stamped): boolean {
  return (
    type === 'message_posted' ||
    type === 'turn_decided' ||
    type === 'thread_work_changed' ||
    type === 'channel_updated' ||
    type === 'channel_archived' ||
    type === 'channel_unarchived' ||
    type.startsWith('stimulus_')
  );
}

type EventOf<T extends Stamped['type']> = Extract<Stamped, { type: T }>;

/**
 * The events of a channel other than messages, newest first. All events of one turn or one
 * stimulus are one entry, at the position of the first known event.
 */
export function storyOf(events: readonly Stamped[]): Entry[] {
  const excerpts = new Map<string, Excerpt>();
  const turns = new Map<string, TurnEntry>();
  const stimuli = new Map<string, StimulusEntry>();
  const work = new Map<string, EventOf<'thread_work_changed'>['data']['work']>();
  const entries: Entry[] = [];
  for (const event of events) {
    switch (event.type) {
      case 'message_posted':
        excerpts.set(event.data.messageId, excerptOf(event));
        break;
      case 'turn_decided':
        addTurn(event, turns, excerpts, entries);
        break;
      case 'thread_work_changed': {
        const { work: now } = event.data;
        const root = now.threadRootMessageId;
        const news = workNews(work.get(root), event.data);
        work.set(root, now);
        if (news.length > 0) {
          entries.push({
            kind: 'work',
            ...positionOf(event),
            rootMessageId: root,
            opening: excerpts.get(root),
            news,
          });
        }
        break;
      }
      case 'channel_updated':
      case 'channel_archived':
      case 'channel_unarchived': {
        const news = channelNews(event);
        if (news !== undefined) entries.push({ kind: 'channel', ...positionOf(event), news });
        break;
      }
      case 'stimulus_created':
      case 'stimulus_claimed':
      case 'stimulus_deferred':
      case 'stimulus_dispatched':
      case 'stimulus_settled':
      case 'stimulus_replayed':
        addStimulus(event, stimuli, entries);
        break;
      default:
        break;
    }
  }
  return entries.sort((a, b) => b.seq - a.seq);
}

const positionOf = ({ seq, at }: Stamped) => ({ key: `${seq}`, seq, at });

function excerptOf({ data: { author, inputItems } }: EventOf<'message_posted'>): Excerpt {
  const text = textOf(inputItems, ' ');
  return { author: author.displayName, text: text.trim() };
}

function addTurn(
  event: EventOf<'turn_decided'>,
  turns: Map<string, TurnEntry>,
  excerpts: ReadonlyMap<string, Excerpt>,
  entries: Entry[],
): void {
  const { data, seq, at } = event;
  const { turn } = data;
  let entry = turns.get(turn.turnId);
  if (!entry) {
    entry = {
      kind: 'turn',
      key: turn.turnId,
      at: turn.openedAt,
      seq,
      turn,
      opening: excerpts.get(turn.originMessageId),
      leases: [],
      decisions: [],
    };
    turns.set(turn.turnId, entry);
    entries.push(entry);
  }
  entry.turn = turn;
  entry.decisions.push({ ...data, seq, at });
  for (const { leaseId, memberId: _, ...how } of data.ended) {
    // A lease of the turn before may end in this one.
    const held = [...turns.values()].flatMap(({ leases }) => leases);
    const lease = held.find((each) => each.leaseId === leaseId);
    if (lease) Object.assign(lease, { until: at, ...how });
  }
  for (const { leaseId, memberId, runId } of data.granted) {
    entry.leases.push({
      leaseId,
      memberId,
      runId,
      from: at,
      until: undefined,
      outcome: undefined,
    });
  }
}

function addStimulus(
  event: EventOf<Extract<Stamped['type'], `stimulus_${string}`>>,
  stimuli: Map<string, StimulusEntry>,
  entries: Entry[],
): void {
  const { stimulusId } = event.data;
  let entry = stimuli.get(stimulusId);
  if (!entry) {
    const created = event.type === 'stimulus_created' ? event.data : undefined;
    entry = {
      kind: 'stimulus',
      ...positionOf(event),
      key: stimulusId,
      stimulusKind: created?.kind,
      content: created?.content,
      steps: [],
      messageId: undefined,
    };
    stimuli.set(stimulusId, entry);
    entries.push(entry);
  }
  const step = stimulusStep(event);
  if (step) entry.steps.push(step);
  if (event.type === 'stimulus_dispatched') entry.messageId = event.data.messageId;
}

function channelNews(
  event: EventOf<'channel_updated' | 'channel_archived' | 'channel_unarchived'>,
): string | undefined {
  if (event.type === 'channel_archived') return 'The channel was archived.';
  if (event.type === 'channel_unarchived') return 'The channel was unarchived.';
  const { paused, autonomyPolicy, defaultParticipationMode } = event.data;
  if (paused === true) return 'Agents were paused: nobody gets a turn.';
  if (paused === false) return 'Agents were resumed.';
  if (autonomyPolicy || defaultParticipationMode !== undefined) {
    return 'The rules for turns of agents were changed.';
  }
  return undefined;
}
