import type { TextChunk } from './follow-item.js';

/**
 * How a chunk changes the shown text: it is appended, it replaces the text, or it changes nothing because an earlier
 * part was missed (the message will have the whole text).
 */
export type TextChange =
  | { readonly type: 'append'; readonly text: string }
  | { readonly type: 'replace'; readonly text: string }
  | { readonly type: 'none' };

/** The text that one run is writing in one step, assembled from its chunks. */
export class LiveText {
  private of: { readonly runId: string; readonly step: number } | undefined;
  private text_ = '';

  /** The known text, without gaps. */
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
