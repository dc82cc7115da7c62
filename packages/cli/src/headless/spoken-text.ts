import { LiveText, type TextChunk } from '@stoa/client';
import type { Stamped } from '@stoa/protocol';
import { textOf } from '@stoa/protocol/constants';

type ModelMessage = Extract<Stamped, { type: 'model_message' }>;

/**
 * What is to be written of an agent's words, as they come: what chunks bring at once, what they missed
 * when the message is whole. What was written is never taken back; a text that turns out to be another
 * one begins on a new line.
 */
export class SpokenText {
  private readonly live = new LiveText();
  /** What was written of the step at hand. */
  private written = '';
  private of: { readonly runId: string; readonly step: number } | undefined;

  chunk(chunk: TextChunk): string {
    const before = this.turnTo(chunk.runId, chunk.step);
    this.live.take(chunk);
    return before + this.upTo(this.live.text);
  }

  message({ data }: ModelMessage): string {
    const before = this.turnTo(data.runId, data.step);
    return before + this.upTo(textOf(data.parts, '')) + this.close();
  }

  /** No more text follows for now. */
  close(): string {
    const rest = this.written === '' || this.written.endsWith('\n') ? '' : '\n';
    this.written = '';
    this.of = undefined;
    return rest;
  }

  private turnTo(runId: string, step: number): string {
    if (this.of?.runId === runId && this.of.step === step) return '';
    const before = this.close();
    this.of = { runId, step };
    return before;
  }

  private upTo(text: string): string {
    const { written } = this;
    if (written.startsWith(text)) return '';
    this.written = text;
    if (text.startsWith(written)) return text.slice(written.length);
    return `${written.endsWith('\n') ? '' : '\n'}${text}`;
  }
}
