// The highlighter runs in a worker, one block of code at a time:
//
//   waiting ──▶ loading ──begun──▶ running ──done──▶ shown
//                  │                  │
//                  └─────deadline─────┴──▶ the worker is ended, the block stays plain, the next gets a new worker

export interface Token {
  readonly content: string;
  readonly color?: string | undefined;
}

export interface HighlightRequest {
  readonly id: number;
  readonly language: string;
  readonly code: string;
}

export type HighlightAnswer =
  /** The grammar is there, and the work begins. */
  | { readonly type: 'begun'; readonly id: number }
  | {
      readonly type: 'done';
      readonly id: number;
      /** None where the language is not known, or there are too many tokens to draw. */
      readonly lines: readonly Token[][] | undefined;
    };

type Show = (lines: readonly Token[][]) => void;

interface Job extends HighlightRequest {
  readonly show: Show;
}

const LOAD_MS = 15_000;
const DEADLINE_MS = 3_000;

let lastId = 0;
let worker: Worker | undefined;
let running: Job | undefined;
let deadline: ReturnType<typeof setTimeout> | undefined;
const waiting = new Map<number, Job>();
/** What took too long is not tried again in this page. */
const tooSlow = new Set<string>();

/** Calls `show` when there are colours. Returns what takes the wish back. */
export function highlight(language: string, code: string, show: Show): () => void {
  if (tooSlow.has(keyOf({ language, code }))) return () => undefined;
  lastId += 1;
  const id = lastId;
  waiting.set(id, { id, language, code, show });
  runNext();
  return () => {
    waiting.delete(id);
    if (running?.id === id) running = { ...running, show: () => undefined };
  };
}

const keyOf = ({ language, code }: Pick<Job, 'language' | 'code'>): string =>
  `${language}\n${code}`;

function runNext(): void {
  const [next] = waiting.values();
  if (running || !next) return;
  waiting.delete(next.id);
  running = next;
  worker ??= startWorker();
  deadline = setTimeout(end, LOAD_MS);
  const { id, language, code } = next;
  worker.postMessage({ id, language, code } satisfies HighlightRequest);
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    if (data.id !== running?.id) return;
    const job = running;
    if (data.type === 'begun') {
      clearTimeout(deadline);
      deadline = setTimeout(() => {
        tooSlow.add(keyOf(job));
        end();
      }, DEADLINE_MS);
      return;
    }
    settle();
    if (data.lines) job.show(data.lines);
  });
  // It could not be loaded: the daemon may have been updated since.
  started.addEventListener('error', end);
  return started;
}

function end(): void {
  worker?.terminate();
  worker = undefined;
  settle();
}

function settle(): void {
  clearTimeout(deadline);
  running = undefined;
  runNext();
}
