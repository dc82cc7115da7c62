import { type FollowItem, LiveText, type TextChunk } from '@stoa/client';

/** The text that a run is writing, until a message contains it or the run has ended. */
export class WritingText {
  private live = new LiveText();
  private of: Pick<TextChunk, 'runId' | 'step'> | undefined;

  get writing(): (Pick<TextChunk, 'runId' | 'step'> & { readonly text: string }) | undefined {
    return this.of && { ...this.of, text: this.live.text };
  }

  /** Returns whether it has changed. */
  take(item: FollowItem): boolean {
    if (item.type === 'text_chunk') {
      const { runId, step } = item;
      this.of = { runId, step };
      return this.live.take(item).type !== 'none';
    }
    if (!this.of || !this.isEndedBy(item)) return false;
    this.of = undefined;
    this.live = new LiveText();
    return true;
  }

  private isEndedBy(item: FollowItem): boolean {
    switch (item.type) {
      case 'model_message':
        return this.of?.runId === item.data.runId && item.data.step >= this.of.step;
      case 'completed':
      case 'cancelled':
      case 'failed':
      case 'interrupted':
        return this.of?.runId === item.data.runId;
      default:
        return item.type === 'gap';
    }
  }
}
