import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool-failure.js';

const PATIENCE_MS = 5_000;

/** Answers a text with the numbers of the lines that match. */
const MATCH_LINES = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.pattern, workerData.flags);
parentPort.on('message', (text) => {
  const lines = text.split('\\n');
  if (lines.at(-1) === '') lines.pop();
  const matches = [];
  lines.forEach((line, index) => {
    if (pattern.test(line)) matches.push(index + 1);
  });
  parentPort.postMessage(matches);
});
`;

/**
 * Matches lines on a thread of its own: a pattern can take longer than anybody lives, and only a thread
 * can be stopped from outside.
 */
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

  match(text: string): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', abort);
        this.#worker.off('message', answer);
        act();
      };
      const answer = (matches: number[]): void => settle(() => resolve(matches));
      const abort = (): void => settle(() => reject(this.#signal.reason as Error));
      const timer = setTimeout(() => {
        settle(() => reject(new ToolFailure('The pattern takes too long to match')));
      }, PATIENCE_MS);
      this.#signal.addEventListener('abort', abort, { once: true });
      this.#worker.once('message', answer);
      if (this.#signal.aborted) abort();
      else this.#worker.postMessage(text);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
