import { HOSTILE_TEXTS, type HostileText } from './fragments.js';

const SCREENED_CHARS = 64 * 1024;
const WHOLE_CHARS = 1024 * 1024;
/** Sixteen times the text may take this much more time; the square would be 256. */
const GROWTH = 64;
/** Below this the clock and the collector of garbage decide. */
const NOISE_MS = 40;
/** No reader may hold the thread for longer, whatever the growth. */
const WHOLE_MS = 1_500;

export interface SlowReading {
  readonly text: string;
  readonly chars: number;
  readonly ms: number;
}

/**
 * Gives a reader 1 MiB of each hostile text, and reports those for which its time grows faster than the
 * text. A shorter text comes first, so that a quadratic reader fails early and does not hang the test.
 */
export function slowReadings(
  read: (text: string) => unknown,
  texts: readonly HostileText[] = HOSTILE_TEXTS,
): SlowReading[] {
  return texts.flatMap((text) => slowReading(read, text) ?? []);
}

function slowReading(read: (text: string) => unknown, hostile: HostileText) {
  const first = leastTime(read, hostile.ofLength(SCREENED_CHARS), NOISE_MS);
  if (first > WHOLE_MS / 4) return { text: hostile.name, chars: SCREENED_CHARS, ms: first };
  const allowed = Math.min(WHOLE_MS, Math.max(NOISE_MS * 4, first * GROWTH));
  const ms = leastTime(read, hostile.ofLength(WHOLE_CHARS), allowed);
  return ms > allowed ? { text: hostile.name, chars: WHOLE_CHARS, ms } : undefined;
}

/** Another process may have had the processor: a slow reading is repeated, and the quickest counts. */
function leastTime(read: (text: string) => unknown, text: string, enough: number): number {
  let least = Infinity;
  for (let attempt = 0; attempt < 3 && least > enough; attempt += 1) {
    const started = performance.now();
    try {
      read(text);
    } catch {
      // A refusal is an answer; only its time counts here.
    }
    least = Math.min(least, performance.now() - started);
  }
  return least;
}
