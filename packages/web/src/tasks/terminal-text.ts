/**
 * What a terminal would show of a program's output, as plain text: colours and cursor movements left out,
 * a line that is written over keeps what was written last. It comes in pieces, and only the end is kept.
 */
const KEPT_CHARS = 98_304;
/** Cutting copies all that is kept: it is done now and then, not with every line. */
const MAX_CHARS = 131_072;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const ESCAPE =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-Z\\^-~])/g;
/** The beginning of an escape sequence, or half of a line break, at the end of a piece. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const UNFINISHED = /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)|\r)$/;
/** A sequence that never ends is no sequence. */
const LONGEST_ESCAPE = 4_096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export class TerminalText {
  private held = '';
  private text_ = '';
  private cut = false;

  get text(): string {
    return this.text_;
  }

  /** Whether the beginning was left out. */
  get isCut(): boolean {
    return this.cut;
  }

  /** Output was skipped before this part, as after a jump to the end. */
  leaveOutBeginning(): void {
    this.cut = true;
  }

  write(piece: string): void {
    const all = this.held + piece;
    const rest = UNFINISHED.exec(all)?.[0] ?? '';
    this.held = rest.length > LONGEST_ESCAPE ? '' : rest;
    const whole = all.slice(0, all.length - this.held.length);
    const plain = whole.replaceAll(ESCAPE, '').replaceAll('\r\n', '\n').replaceAll(INVISIBLE, '');
    this.append(plain);
  }

  private append(plain: string): void {
    const [first = '', ...overwritten] = plain.split('\r');
    let text = this.text_ + first;
    for (const again of overwritten) text = text.slice(0, text.lastIndexOf('\n') + 1) + again;
    if (text.length > MAX_CHARS) {
      const from = text.indexOf('\n', text.length - KEPT_CHARS) + 1;
      text = text.slice(from === 0 ? text.length - KEPT_CHARS : from);
      this.cut = true;
    }
    this.text_ = text;
  }
}
