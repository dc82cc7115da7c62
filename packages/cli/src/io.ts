import { Readable } from 'node:stream';
import { isatty } from 'node:tty';
import { Readers } from './readers.js';

/** The surroundings of a command; tests bring their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly inIsTerminal: boolean;
  /** Absent without a terminal. */
  readonly columns: number | undefined;
  now(): number;
  stdin(): Promise<Uint8Array>;
  /** One line of the person at the terminal; undefined when they end their input or it is taken back. */
  question(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Calls once when the person presses Ctrl-C; the answer takes the handler away again. */
  onInterrupt(handler: () => void): () => void;
  /** From now on the process continues after its reader has left; `whenGone` is called once. */
  outliveReaders(whenGone?: () => void): void;
  /** Standard input and output as they are, for a protocol; nothing else may be written then. */
  pipes(): Pipes;
}

interface Pipes {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** The process does not live on for what is still to be read. */
  close(): void;
}

export function processIo(): Io {
  const readers = new Readers({
    endWith: (exitCode) =>
      process.once('exit', (other) => {
        if (other === 0) process.exitCode = exitCode;
      }),
    exit: (exitCode) => process.exit(exitCode),
    say: (text) => void process.stderr.write(`stoa: ${text}\n`),
  });
  process.stdout.on('error', (error: Error) => readers.lost('standard output', error));
  process.stderr.on('error', (error: Error) => readers.lost('standard error', error));
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    outIsTerminal: process.stdout.isTTY,
    errIsTerminal: process.stderr.isTTY,
    // Asking `process.stdin` would open it, which most commands never need.
    inIsTerminal: isatty(0),
    // A terminal that was given no size says that it has none.
    columns: (process.stdout.isTTY && process.stdout.columns) || undefined,
    now: () => Date.now(),
    stdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    question: async (prompt, signal) => {
      const { createInterface } = await import('node:readline');
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      return new Promise((resolve) => {
        const close = (): void => lines.close();
        signal.addEventListener('abort', close, { once: true });
        lines.once('close', () => {
          signal.removeEventListener('abort', close);
          resolve(undefined);
        });
        // The terminal sends Ctrl-C to the question, not to the process. The listener there cancels the question.
        lines.once('SIGINT', () => {
          process.once('SIGINT', close);
          process.kill(process.pid, 'SIGINT');
        });
        if (signal.aborted) lines.close();
        else {
          lines.question(prompt, (line) => {
            resolve(line);
            lines.close();
          });
        }
      });
    },
    onInterrupt: (handler) => {
      process.once('SIGINT', handler);
      process.once('SIGTERM', handler);
      return () => {
        process.removeListener('SIGINT', handler);
        process.removeListener('SIGTERM', handler);
      };
    },
    outliveReaders: (whenGone) => readers.outlive(whenGone),
    pipes: () => ({
      input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      output: new WritableStream({
        write: (bytes) =>
          new Promise((resolve, reject) => {
            process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
          }),
      }),
      close: () => process.stdin.destroy(),
    }),
  };
}
