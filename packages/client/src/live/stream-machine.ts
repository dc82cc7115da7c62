import type { Stamped, StreamFrame, StreamRequest } from '@stoa/protocol';
import { isTerminalRunStatus, type TerminalRunStatus } from '@stoa/protocol/constants';
import { StoaProblem } from '../problem.js';
import type { FollowItem, ReconnectReason } from './follow-item.js';

/*
 * The states of one WebSocket that carries many topics:
 *
 *   idle        no topic is followed, no socket
 *   connecting  the socket is being opened
 *   open        subscriptions were sent; frames arrive
 *   waiting     the socket is lost; a timer will open the next one
 *
 *   idle ─follow→ connecting ─opened→ open ─closed→ waiting ─retry→ connecting
 *   any ─last topic unfollowed or ended→ idle
 *
 * And of each topic on it:
 *
 *   unsubscribed  nothing was requested on this socket, or the reader is held back
 *   asked         subscribe was sent; frames of an earlier subscription are ignored
 *   live          the daemon confirmed the last request; events count
 *
 * A topic remembers the last delivered sequence. Every subscription requests the events after it; earlier ones are
 * dropped, and an event that would leave a gap is not delivered: the socket is closed and the topic requested again.
 * So each event is delivered once, in order, across all failures of sockets. Chunks of text have no sequence: they
 * are passed on while the topic is live, but not after the message they became. Drafts have none either: a reader
 * that was shown one is informed when it ends or can no longer be followed. This file decides; it has no side
 * effects.
 */

export type StreamInput =
  | { readonly type: 'follow'; readonly topic: string; readonly after: number | undefined }
  | { readonly type: 'unfollow'; readonly topic: string }
  | { readonly type: 'hold'; readonly topic: string }
  | { readonly type: 'release'; readonly topic: string }
  | { readonly type: 'opened' }
  | { readonly type: 'closed'; readonly refusal: StoaProblem | undefined }
  | { readonly type: 'frame'; readonly frame: StreamFrame }
  | { readonly type: 'retry' };

export type StreamEffect =
  | { readonly type: 'open' }
  | { readonly type: 'close' }
  | { readonly type: 'send'; readonly request: StreamRequest }
  | { readonly type: 'wait'; readonly attempt: number; readonly reason: ReconnectReason }
  | { readonly type: 'stop_waiting' }
  | { readonly type: 'deliver'; readonly topic: string; readonly item: FollowItem }
  | {
      readonly type: 'following';
      readonly topic: string;
      readonly after: number;
      readonly head: number;
    }
  | { readonly type: 'end'; readonly topic: string; readonly problem: StoaProblem };

type Frame<T extends StreamFrame['type']> = Extract<StreamFrame, { type: T }>;

interface TopicState {
  /** `undefined` until the daemon has sent the sequence of "from now". */
  last: number | undefined;
  stage: 'unsubscribed' | 'asked' | 'live';
  held: boolean;
  /** The last message, or the ended run: chunks of it are too late. */
  written: { readonly runId: string; readonly step: number } | undefined;
  /** Runs whose drafts the reader has. */
  readonly drafts: Set<string>;
}

/** Temporary: the daemon is stopping or cannot reach its store. */
const PASSING = new Set(['shutting_down', 'storage_unavailable', 'too_many_streams', 'internal']);

export class StreamMachine {
  private phase: 'idle' | 'connecting' | 'open' | 'waiting' = 'idle';
  private attempt = 0;
  /** After a gap only an event proves that the stream is correct again. */
  private doubtful = false;
  private closingFor: ReconnectReason = 'connection_lost';
  private readonly topics = new Map<string, TopicState>();
  /** Requests on this socket without an answer so far; the daemon answers each, in order. */
  private readonly unanswered = new Map<string, number>();

  handle(input: StreamInput): StreamEffect[] {
    switch (input.type) {
      case 'follow':
        return this.follow(input.topic, input.after);
      case 'unfollow':
        return this.unfollow(input.topic);
      case 'hold':
        return this.hold(input.topic);
      case 'release':
        return this.release(input.topic);
      case 'opened':
        this.phase = 'open';
        this.unanswered.clear();
        return [...this.topics].flatMap(([topic, state]) => this.subscribe(topic, state));
      case 'closed':
        return this.closed(input.refusal);
      case 'frame':
        return this.phase === 'open' ? this.frame(input.frame) : [];
      case 'retry':
        if (this.phase !== 'waiting') return [];
        this.phase = 'connecting';
        return [{ type: 'open' }];
    }
  }

  private follow(topic: string, after: number | undefined): StreamEffect[] {
    const state: TopicState = {
      last: after,
      stage: 'unsubscribed',
      held: false,
      written: undefined,
      drafts: new Set(),
    };
    this.topics.set(topic, state);
    if (this.phase === 'open') return this.subscribe(topic, state);
    if (this.phase !== 'idle') return [];
    this.phase = 'connecting';
    return [{ type: 'open' }];
  }

  private unfollow(topic: string): StreamEffect[] {
    const state = this.topics.get(topic);
    if (!state) return [];
    this.topics.delete(topic);
    if (this.topics.size === 0) return this.rest();
    return this.unsubscribe(topic, state);
  }

  /** The reader is behind, so the daemon need not send more. */
  private hold(topic: string): StreamEffect[] {
    const state = this.topics.get(topic);
    if (!state || state.held) return [];
    state.held = true;
    return [...endDrafts(topic, state), ...this.unsubscribe(topic, state)];
  }

  private release(topic: string): StreamEffect[] {
    const state = this.topics.get(topic);
    if (!state?.held) return [];
    state.held = false;
    return this.phase === 'open' ? this.subscribe(topic, state) : [];
  }

  private subscribe(topic: string, state: TopicState): StreamEffect[] {
    if (state.held) return [];
    state.stage = 'asked';
    this.unanswered.set(topic, (this.unanswered.get(topic) ?? 0) + 1);
    const after = state.last === undefined ? {} : { after: state.last };
    return [{ type: 'send', request: { type: 'subscribe', topic, ...after } }];
  }

  private unsubscribe(topic: string, state: TopicState): StreamEffect[] {
    if (state.stage === 'unsubscribed' || this.phase !== 'open') return [];
    state.stage = 'unsubscribed';
    return [{ type: 'send', request: { type: 'unsubscribe', topic } }];
  }

  private frame(frame: StreamFrame): StreamEffect[] {
    switch (frame.type) {
      case 'event':
        return this.event(frame);
      case 'subscribed':
        return this.subscribed(frame);
      case 'gap':
        return this.gap(frame);
      case 'text_chunk':
        return this.chunk(frame);
      case 'draft':
        return this.draft(frame);
      case 'draft_ended':
        return this.draftEnded(frame);
      case 'error':
        return this.error(frame);
      case 'closing':
        return this.closing(frame);
      case 'unsubscribed':
        return [];
    }
  }

  private event({ event }: Frame<'event'>): StreamEffect[] {
    const state = this.topics.get(event.topic);
    if (state?.stage !== 'live' || state.last === undefined || event.seq <= state.last) return [];
    if (event.seq !== state.last + 1) {
      this.doubtful = true;
      return [{ type: 'close' }, ...this.reconnect('connection_lost')];
    }
    state.last = event.seq;
    this.attempt = 0;
    this.doubtful = false;
    state.written = writtenBy(event) ?? state.written;
    return [{ type: 'deliver', topic: event.topic, item: event }];
  }

  /** The daemon sends chunks with a delay, so the message may overtake them. */
  private chunk(frame: Frame<'text_chunk'>): StreamEffect[] {
    const { topic, runId, step } = frame;
    const state = this.topics.get(topic);
    if (state?.stage !== 'live') return [];
    const { written } = state;
    if (written?.runId === runId && step <= written.step) return [];
    return [{ type: 'deliver', topic, item: frame }];
  }

  private draft(frame: Frame<'draft'>): StreamEffect[] {
    const { topic, runId } = frame;
    const state = this.topics.get(topic);
    if (state?.stage !== 'live') return [];
    state.drafts.add(runId);
    return [{ type: 'deliver', topic, item: frame }];
  }

  private draftEnded(frame: Frame<'draft_ended'>): StreamEffect[] {
    const { topic, runId } = frame;
    if (!this.topics.get(topic)?.drafts.delete(runId)) return [];
    return [{ type: 'deliver', topic, item: frame }];
  }

  private answered(topic: string): void {
    const left = (this.unanswered.get(topic) ?? 1) - 1;
    if (left > 0) this.unanswered.set(topic, left);
    else this.unanswered.delete(topic);
  }

  private subscribed({ topic, after, head }: Frame<'subscribed'>): StreamEffect[] {
    const state = this.topics.get(topic);
    this.answered(topic);
    if (state?.stage !== 'asked' || this.unanswered.has(topic)) return [];
    state.last ??= after;
    if (head < state.last) {
      const detail = `the daemon's data was replaced: ${topic} ends at ${head}, ${state.last} was read`;
      return this.end(topic, problemOfFrame('topic_not_found', detail));
    }
    state.stage = 'live';
    if (!this.doubtful) this.attempt = 0;
    return [{ type: 'following', topic, after: state.last, head }];
  }

  /** A slow reader is disconnected, but the missed events are still stored: it reconnects and misses nothing. */
  private gap({ topic, oldest, reason }: Frame<'gap'>): StreamEffect[] {
    const state = this.topics.get(topic);
    if (reason === 'slow_reader') {
      this.closingFor = 'slow_reader';
      return [];
    }
    if (state?.stage !== 'live' || state.last === undefined || oldest <= state.last + 1) return [];
    const after = state.last;
    state.last = oldest - 1;
    return [{ type: 'deliver', topic, item: { type: 'gap', topic, after, oldest } }];
  }

  private error({ topic, code, detail }: Frame<'error'>): StreamEffect[] {
    if (PASSING.has(code)) return [{ type: 'close' }, ...this.reconnect('connection_lost')];
    const problem = problemOfFrame(code, detail);
    if (topic !== undefined) this.answered(topic);
    return topic === undefined ? this.endAll(problem) : this.end(topic, problem);
  }

  private closing({ reason }: Frame<'closing'>): StreamEffect[] {
    if (reason === 'revoked') {
      return this.endAll(problemOfFrame('unauthenticated', 'the token was revoked'));
    }
    this.closingFor = reason;
    return [];
  }

  private closed(refusal: StoaProblem | undefined): StreamEffect[] {
    if (this.phase !== 'connecting' && this.phase !== 'open') return [];
    if (refusal && isFinal(refusal)) {
      this.phase = 'idle';
      return this.endAll(refusal);
    }
    return this.reconnect(this.closingFor);
  }

  private reconnect(reason: ReconnectReason): StreamEffect[] {
    this.phase = 'waiting';
    this.closingFor = 'connection_lost';
    const ended = [...this.topics].flatMap(([topic, state]) => {
      state.stage = 'unsubscribed';
      return endDrafts(topic, state);
    });
    this.attempt += 1;
    return [...ended, { type: 'wait', attempt: this.attempt - 1, reason }];
  }

  private end(topic: string, problem: StoaProblem): StreamEffect[] {
    if (!this.topics.delete(topic)) return [];
    const ended: StreamEffect = { type: 'end', topic, problem };
    return this.topics.size === 0 ? [ended, ...this.rest()] : [ended];
  }

  private endAll(problem: StoaProblem): StreamEffect[] {
    const ended = [...this.topics.keys()].map(
      (topic): StreamEffect => ({ type: 'end', topic, problem }),
    );
    this.topics.clear();
    return [...ended, ...this.rest()];
  }

  private rest(): StreamEffect[] {
    const before = this.phase;
    this.phase = 'idle';
    this.attempt = 0;
    this.doubtful = false;
    this.closingFor = 'connection_lost';
    if (before === 'waiting') return [{ type: 'stop_waiting' }];
    return before === 'idle' ? [] : [{ type: 'close' }];
  }
}

/** Their end will not be received: drafts that continue are sent again. */
function endDrafts(topic: string, state: TopicState): StreamEffect[] {
  const ended = [...state.drafts].map(
    (runId): StreamEffect => ({
      type: 'deliver',
      topic,
      item: { type: 'draft_ended', topic, runId },
    }),
  );
  state.drafts.clear();
  return ended;
}

function writtenBy(event: Stamped): TopicState['written'] {
  if (event.type === 'model_message') return { runId: event.data.runId, step: event.data.step };
  if (!isRunEnd(event)) return undefined;
  return { runId: event.data.runId, step: Number.POSITIVE_INFINITY };
}

type RunEnd = Extract<Stamped, { type: TerminalRunStatus }>;

const isRunEnd = (event: Stamped): event is RunEnd => isTerminalRunStatus(event.type);

function isFinal(refusal: StoaProblem): boolean {
  return refusal.status >= 400 && refusal.status < 500 && !PASSING.has(refusal.code);
}

/** The statuses of the codes that end a subscription; the registry itself stays in the daemon. */
function problemOfFrame(code: string, detail: string): StoaProblem {
  const status = code === 'unauthenticated' ? 401 : code.endsWith('_not_found') ? 404 : 403;
  return new StoaProblem(code as StoaProblem['code'], status, detail);
}
