/** The surroundings of a command; tests bring their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  /** Absent without a terminal. */
  readonly columns: number | undefined;
  now(): number;
  stdin(): Promise<Uint8Array>;
  /** Calls once when the person presses Ctrl-C; the answer takes the handler away again. */
  onInterrupt(handler: () => void): () => void;
  /** From now on the process goes on when nobody reads its output any more. */
  outliveReaders(): void;
}

export function processIo(): Io {
  let endsWithoutReader = true;
  // `head` and `less` close the pipe when they have seen enough: that is no failure.
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    if (endsWithoutReader) process.exit(0);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    outIsTerminal: process.stdout.isTTY,
    errIsTerminal: process.stderr.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    now: () => Date.now(),
    stdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    onInterrupt: (handler) => {
      process.once('SIGINT', handler);
      process.once('SIGTERM', handler);
      return () => {
        process.removeListener('SIGINT', handler);
        process.removeListener('SIGTERM', handler);
      };
    },
    outliveReaders: () => {
      endsWithoutReader = false;
    },
  };
}
