/**
 * Notices a server that has gone without a word: calls back when there is something to be answered and no answer
 * has come for so long. Each begins the wait for the next anew, for what is sent together is answered one after
 * the other.
 */
export class AnswerLimit {
  #outstanding = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly onSilence: () => void,
  ) {}

  expect(answer: Promise<unknown>): void {
    this.#outstanding += 1;
    if (this.#outstanding === 1) this.#wait();
    const answered = (): void => {
      this.#outstanding -= 1;
      this.#wait();
    };
    answer.then(answered, answered);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer, wound up again: a new one for each statement would be felt. */
  #wait(): void {
    if (this.#timer) {
      this.#timer.refresh();
      return;
    }
    if (this.#outstanding === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#outstanding > 0) this.onSilence();
    }, this.milliseconds);
  }
}
