import type { TextChunk } from './follow-item.js';

/**
 * What a chunk does to the text that is shown: it goes on at the end, the text begins anew, or nothing
 * changes because something before it was missed (the whole text comes with its message).
 */
export type TextChange =
  | { readonly type: 'append'; readonly text: string }
  | { readonly type: 'replace'; readonly text: string }
  | { readonly type: 'none' };

/** The text one run is writing in one step, put together from its chunks. */
export class LiveText {
  private of: { readonly runId: string; readonly step: number } | undefined;
  private text_ = '';

  /** What is known of it, without holes. */
  get text(): string {
    return this.text_;
  }

  isOf(runId: string, step: number): boolean {
    return this.of?.runId === runId && this.of.step === step;
  }

  take({ runId, step, offset, text }: TextChunk): TextChange {
    if (!this.isOf(runId, step)) {
      this.of = { runId, step };
      this.text_ = '';
    }
    const before = this.text_;
    if (offset > before.length) return { type: 'none' };
    this.text_ = before.slice(0, offset) + text;
    if (this.text_.startsWith(before)) {
      const added = this.text_.slice(before.length);
      return added === '' ? { type: 'none' } : { type: 'append', text: added };
    }
    return { type: 'replace', text: this.text_ };
  }
}
