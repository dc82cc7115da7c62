import { sessionTopic } from '@stoa/protocol';
import type { TextChunk } from '../kernel/reader.js';
import type { Timers } from '../ports.js';

interface Draft {
  readonly sessionId: string;
  readonly runId: string;
  step: number;
  text: string;
  /** How much of it has been sent. */
  sent: number;
  cancelTimer: (() => void) | undefined;
}

/** Chunks of a model come faster than people read. */
const COALESCE_MS = 40;
/** The maximum length of a draft; the journal contains the whole step when it is complete. */
const DRAFT_CHARS = 1024 * 1024;

/**
 * Text that runs are writing. It is not stored: a chunk has a run, a step and an offset, and late subscribers receive the
 * draft so far.
 */
export class Drafts {
  /** By topic: a session has one active run. */
  readonly #drafts = new Map<string, Draft>();

  constructor(
    private readonly timers: Timers,
    private readonly send: (topic: string, frame: TextChunk) => void,
  ) {}

  show(sessionId: string, runId: string, step: number, text: string): void {
    const topic = sessionTopic(sessionId);
    let draft = this.#drafts.get(topic);
    if (draft?.runId !== runId || draft.step !== step) {
      if (draft) this.#flush(topic, draft);
      draft = { sessionId, runId, step, text: '', sent: 0, cancelTimer: undefined };
      this.#drafts.set(topic, draft);
    }
    draft.text += text.slice(0, DRAFT_CHARS - draft.text.length);
    const current = draft;
    draft.cancelTimer ??= this.timers.after(COALESCE_MS, () => {
      this.#flush(topic, current);
    });
  }

  /** The text of the step starts again: an empty chunk at offset 0 clears what readers have of it. */
  withdraw(sessionId: string, runId: string, step: number): void {
    const topic = sessionTopic(sessionId);
    const draft = this.#drafts.get(topic);
    if (draft?.runId !== runId || draft.step !== step) return;
    draft.cancelTimer?.();
    this.#drafts.delete(topic);
    if (draft.sent > 0) this.send(topic, frameOf(topic, { ...draft, text: '' }, 0));
  }

  /** The run ended: its draft is dropped. */
  end(sessionId: string, runId: string): void {
    const topic = sessionTopic(sessionId);
    const draft = this.#drafts.get(topic);
    if (draft?.runId !== runId) return;
    draft.cancelTimer?.();
    this.#drafts.delete(topic);
  }

  /** The draft so far, for a late subscriber. */
  soFar(topic: string): TextChunk[] {
    const draft = this.#drafts.get(topic);
    if (!draft || draft.sent === 0) return [];
    return [{ ...frameOf(topic, draft, 0), text: draft.text.slice(0, draft.sent) }];
  }

  #flush(topic: string, draft: Draft): void {
    draft.cancelTimer?.();
    draft.cancelTimer = undefined;
    if (draft.sent === draft.text.length) return;
    const frame = frameOf(topic, draft, draft.sent);
    draft.sent = draft.text.length;
    this.send(topic, frame);
  }
}

function frameOf(topic: string, { runId, step, text }: Draft, offset: number): TextChunk {
  return { type: 'text_chunk', topic, runId, step, offset, text: text.slice(offset) };
}
