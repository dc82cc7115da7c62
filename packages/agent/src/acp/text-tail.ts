/** Keeps the end of what is written to it. */
export class TextTail {
  #text = '';

  constructor(private readonly chars: number) {}

  add(text: string): void {
    this.#text = (this.#text + text).slice(-this.chars);
  }

  get text(): string {
    return this.#text.toWellFormed();
  }
}
