import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool-failure.js';

const TIMEOUT_MS = 5_000;

/** An answer shows at most this many lines, so the texts of further lines are not sent. */
const SHOWN_LINES = 2_000;

/** The matching lines of a text and their context, in order. */
export interface MatchedLines {
  readonly numbers: Uint32Array;
  /** 1 if the line matches, 0 if it is context. */
  readonly matches: Uint8Array;
  /** Only those of the first lines. */
  readonly texts: readonly string[];
}

/** Script of the worker: receives a text and answers with its MatchedLines. */
const MATCH_LINES = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.pattern, workerData.flags);
parentPort.on('message', ({ text, context }) => {
  const lines = text.split('\\n');
  if (lines.at(-1) === '') lines.pop();
  const found = new Uint8Array(lines.length);
  lines.forEach((line, index) => {
    if (pattern.test(line)) found[index] = 1;
  });
  const near = new Uint8Array(lines.length);
  let last = -Infinity;
  for (let i = 0; i < found.length; i++) {
    if (found[i]) last = i;
    if (i - last <= context) near[i] = 1;
  }
  let next = Infinity;
  for (let i = found.length - 1; i >= 0; i--) {
    if (found[i]) next = i;
    if (next - i <= context) near[i] = 1;
  }
  const numbers = new Uint32Array(near.reduce((sum, one) => sum + one, 0));
  const matches = new Uint8Array(numbers.length);
  const texts = [];
  for (let i = 0, at = 0; i < near.length; i++) {
    if (!near[i]) continue;
    numbers[at] = i + 1;
    matches[at] = found[i];
    if (at < ${SHOWN_LINES}) texts.push(lines[i]);
    at++;
  }
  parentPort.postMessage({ numbers, matches, texts }, [numbers.buffer, matches.buffer]);
});
`;

/** Matches lines in a worker thread, which can be terminated if a pattern takes too long. */
export class LineMatcher {
  readonly #worker: Worker;
  readonly #signal: AbortSignal;

  constructor(pattern: string, ignoreCase: boolean, signal: AbortSignal) {
    const flags = ignoreCase ? 'iu' : 'u';
    try {
      new RegExp(pattern, flags);
    } catch (error) {
      throw new ToolFailure(`The pattern is not valid: ${(error as Error).message}`);
    }
    this.#signal = signal;
    this.#worker = new Worker(MATCH_LINES, { eval: true, workerData: { pattern, flags }, env: {} });
    this.#worker.on('error', () => undefined);
  }

  match(text: string, context: number): Promise<MatchedLines> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        this.#worker.off('message', answer);
        act();
      };
      const answer = (lines: MatchedLines): void => settle(() => resolve(lines));
      const abort = (): void => settle(() => reject(this.#signal.reason as Error));
      const timer = setTimeout(() => {
        settle(() => reject(new ToolFailure('The pattern takes too long to match')));
      }, TIMEOUT_MS);
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#worker.once('message', answer);
      if (this.#signal.aborted) abort();
      else this.#worker.postMessage({ text, context });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
