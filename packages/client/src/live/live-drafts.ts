import type { Draft, DraftEnded } from './follow-item.js';

/** An agent that is writing in a channel, and its text so far, without gaps. */
export interface Writing {
  readonly runId: string;
  readonly memberId: string;
  readonly displayName: string;
  readonly threadRootMessageId: string;
  readonly replyToMessageId: string;
  readonly text: string;
}

/** Who is writing in one channel now, assembled from its followed items. */
export class LiveDrafts {
  private readonly drafts = new Map<string, Writing>();

  /** Those who have written something, in the order in which they began. */
  get writing(): readonly Writing[] {
    return [...this.drafts.values()].filter(({ text }) => text !== '');
  }

  /** Ignores a piece after a gap until an earlier offset is sent. */
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
