import type { Context } from '../context.js';
import { PrintableStream } from '../terminal/printable-stream.js';

/** Words of the agent on standard output, lines about what it does on standard error. */
export class RunTerminal {
  private readonly stream = new PrintableStream();
  private atLineStart = true;

  constructor(private readonly context: Context) {}

  text(text: string): void {
    const shown = this.stream.write(text);
    if (shown === '') return;
    this.context.io.out(shown);
    this.atLineStart = shown.endsWith('\n');
  }

  line(text: string): void {
    this.breakLine();
    this.context.io.err(`${this.context.errPaint.dim(text)}\n`);
  }

  /** Where both go to one screen, a line does not begin in the middle of another. */
  breakLine(): void {
    const { io } = this.context;
    if (this.atLineStart || !io.outIsTerminal || !io.errIsTerminal) return;
    io.out('\n');
    this.atLineStart = true;
  }

  close(): void {
    const rest = this.stream.end();
    if (rest !== '') this.text(rest);
    if (!this.atLineStart) this.context.io.out('\n');
    this.atLineStart = true;
  }
}
