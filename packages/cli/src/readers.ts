/** What of a process the end of its readers is about. */
export interface Leaving {
  /** The code a process ends with that would otherwise end well. */
  endWith(exitCode: number): void;
  exit(exitCode: number): void;
  say(text: string): void;
}

/**
 * The reader of the output may leave before the command is done, and a disk may be full.
 *
 *   read ──the reader leaves──▶ unread: it ends well, or goes on where it has work of its own
 *     └──it cannot be written──▶ failed: it says so and ends with 1, at once or when it is done
 */
export class Readers {
  private outlives = false;
  private whenGone: () => void = () => undefined;
  private areGone = false;

  constructor(private readonly leaving: Leaving) {}

  outlive(whenGone: () => void = () => undefined): void {
    this.outlives = true;
    this.whenGone = whenGone;
  }

  lost(stream: 'standard output' | 'standard error', error: NodeJS.ErrnoException): void {
    // `head` and `less` close the pipe when they have seen enough: that is no failure.
    const isLeft = error.code === 'EPIPE' || this.areGone;
    if (!isLeft) this.fail(stream, error);
    if (!this.outlives) this.leaving.exit(isLeft ? 0 : 1);
    else if (!this.areGone) {
      this.areGone = true;
      this.whenGone();
    }
  }

  private fail(stream: string, error: Error): void {
    this.leaving.endWith(1);
    if (stream === 'standard output')
      this.leaving.say(`cannot write to ${stream}: ${error.message}`);
  }
}
