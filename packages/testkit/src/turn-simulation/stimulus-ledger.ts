import type { ChannelEvent, NewStimulus, StimulusState, Turn } from '@stoa/protocol';
import { violated } from '../simulation/failure.js';
import { type ChannelModel, sessionOf } from './channel-model.js';

type StimulusEvent = Extract<ChannelEvent, { type: `stimulus_${string}` }>;
type Posted = Extract<ChannelEvent, { type: 'message_posted' }>['data'];

interface StimulusModel {
  readonly created: NewStimulus;
  state: StimulusState;
  messageId: string | undefined;
}

const SILENT: readonly string[] = ['result_summary', 'supersession_notice'];

/** From where each event may lead. */
const FROM: Readonly<Record<Exclude<StimulusEvent['type'], 'stimulus_created'>, StimulusState[]>> =
  {
    stimulus_claimed: ['pending'],
    stimulus_deferred: ['pending', 'claimed'],
    stimulus_dispatched: ['claimed'],
    stimulus_settled: ['pending', 'claimed'],
    stimulus_replayed: ['dead_letter', 'cancelled'],
  };

/** Stimuli of the channel, as its log tells of them: each becomes a message at most once. */
export class StimulusLedger {
  readonly #all = new Map<string, StimulusModel>();
  /** Posted, and not yet reported as dispatched: the next event does that. */
  #posted: { readonly stimulusId: string; readonly messageId: string } | undefined;
  /** Number of agents’ messages in threads since the last message of a person. */
  #repliesOfAgents = 0;
  #hasGrown = false;

  get live(): StimulusModel[] {
    return this.#in('pending', 'claimed');
  }

  get claimed(): StimulusModel[] {
    return this.#in('claimed');
  }

  /** By id, those that a person may take back or put in again. */
  get known(): string[] {
    return [...this.#all.keys()];
  }

  /** When the next of those that wait may be posted. */
  get nextAt(): number {
    return Math.min(...this.#in('pending').map(({ created }) => created.availableAt));
  }

  take(event: ChannelEvent): void {
    const expected = this.#posted;
    this.#posted = undefined;
    if (expected && event.type !== 'stimulus_dispatched') {
      violated('a stimulus was posted and is not reported as posted', { expected, event });
    }
    switch (event.type) {
      case 'stimulus_created': {
        const created = event.data;
        this.#all.set(created.stimulusId, { created, state: 'pending', messageId: undefined });
        this.#hasGrown = true;
        return;
      }
      case 'stimulus_claimed':
        this.#move(event).state = 'claimed';
        return;
      case 'stimulus_deferred':
        this.#move(event).state = 'pending';
        return;
      case 'stimulus_dispatched':
        if (
          expected?.stimulusId !== event.data.stimulusId ||
          expected.messageId !== event.data.messageId
        ) {
          violated('a stimulus is reported as posted and is not', { expected, event });
        }
        this.#move(event).state = 'dispatched';
        return;
      case 'stimulus_settled':
        this.#move(event).state = event.data.state;
        return;
      case 'stimulus_replayed':
        this.#move(event).state = 'pending';
        this.#hasGrown = true;
        return;
      default:
        return;
    }
  }

  posted({ messageId, author, threadRootMessageId, metadata }: Posted, at: number): void {
    const stimulusId = metadata['stimulusId'];
    if (typeof stimulusId === 'string') this.#materialised(stimulusId, messageId, at);
    if (author.kind === 'human') this.#repliesOfAgents = 0;
    else if (threadRootMessageId !== undefined && sessionOf(author.id) !== undefined) {
      this.#repliesOfAgents += 1;
    }
  }

  /** What a commit added to those that wait leaves them within their limit. */
  checkRoom({ policy }: ChannelModel): void {
    const waiting = this.live.length;
    if (this.#hasGrown && waiting > policy.maxPendingStimuli) {
      violated('more stimuli wait than may', { waiting, most: policy.maxPendingStimuli });
    }
    this.#hasGrown = false;
  }

  /**
   * What a stimulus wakes has a budget of its own, out of what agents may say until a person speaks; it
   * takes nothing from the turn of a person, and adds nothing to it.
   */
  checkTurn(
    model: ChannelModel,
    before: Turn | undefined,
    turn: Turn,
    message: { readonly isOwn: boolean },
  ): void {
    const { stimulusId = '', replies = 0 } = turn.stimulus ?? {};
    const stimulus = this.#all.get(stimulusId);
    if (!stimulus || stimulus.messageId !== turn.originMessageId) {
      return violated('a turn was opened by a stimulus that is not its message', { turn });
    }
    const { kind, visibilityHint, scope } = stimulus.created;
    if (SILENT.includes(kind)) violated('a stimulus woke somebody that wakes nobody', { turn });
    if (scope === 'thread' && visibilityHint === 'main') {
      violated('a message that is only for the feed opened a turn', { turn });
    }
    if (before && before.closedAt === undefined) {
      violated('a stimulus took the turn of somebody', { before, turn });
    }
    const { maxAgentRepliesPerStimulus, maxAutonomousRepliesSinceHuman } = model.policy;
    // Its own message is no answer yet.
    let left = maxAutonomousRepliesSinceHuman - this.#repliesOfAgents + (message.isOwn ? 1 : 0);
    for (const { turn: other } of model.threads.values()) {
      if (other.closedAt !== undefined || !other.stimulus) continue;
      left -= Math.max(0, other.stimulus.replies - other.replies);
    }
    if (replies > Math.min(left, maxAgentRepliesPerStimulus)) {
      violated('a stimulus lets agents say more than people left them', { turn, left });
    }
  }

  #materialised(stimulusId: string, messageId: string, at: number): void {
    const stimulus = this.#all.get(stimulusId);
    if (!stimulus) return violated('a stimulus was posted that nobody put in', { stimulusId });
    const { created, state, messageId: earlier } = stimulus;
    if (earlier !== undefined) violated('a stimulus was posted twice', { stimulusId, earlier });
    if (state !== 'claimed') violated('a stimulus was posted without a claim', { created, state });
    if (created.expiresAt !== undefined && created.expiresAt <= at) {
      violated('a stimulus was posted after its time', { created, at });
    }
    stimulus.messageId = messageId;
    this.#posted = { stimulusId, messageId };
  }

  #move(event: Exclude<StimulusEvent, { type: 'stimulus_created' }>): StimulusModel {
    const stimulus = this.#all.get(event.data.stimulusId);
    if (!stimulus || !FROM[event.type].includes(stimulus.state)) {
      return violated('a stimulus went where it may not', { event, state: stimulus?.state });
    }
    return stimulus;
  }

  #in(...states: readonly StimulusState[]): StimulusModel[] {
    return [...this.#all.values()].filter(({ state }) => states.includes(state));
  }
}
