import type { Draft, DraftEnded } from './follow-item.js';

/** Somebody who is writing in a channel, and what, as far as it is known without holes. */
export interface Writing {
  readonly runId: string;
  readonly memberId: string;
  readonly displayName: string;
  readonly threadRootMessageId: string;
  readonly replyToMessageId: string;
  readonly text: string;
}

/** Who is writing in one channel right now, put together from what is followed there. */
export class LiveDrafts {
  private readonly drafts = new Map<string, Writing>();

  /** Those who have written something, who began first in front. */
  get writing(): readonly Writing[] {
    return [...this.drafts.values()].filter(({ text }) => text !== '');
  }

  /** A piece behind a hole is left out, until the text is told from an earlier place. */
  take(item: Draft | DraftEnded): void {
    if (item.type === 'draft_ended') {
      this.drafts.delete(item.runId);
      return;
    }
    const { type: _, topic: __, offset, text, ...who } = item;
    const before = this.drafts.get(item.runId)?.text ?? '';
    const known = offset > before.length ? before : before.slice(0, offset) + text;
    this.drafts.set(item.runId, { ...who, text: known });
  }
}
