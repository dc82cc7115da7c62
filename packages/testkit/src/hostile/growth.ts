import { HOSTILE_TEXTS, type HostileText } from './fragments.js';

const SCREENED_CHARS = 32 * 1024;
/** Texts behind an opening mark or before an end; those that only repeat are four times as long. */
const LONG_CHARS = 256 * 1024;
/** Below this chance decides. */
const NOISE_MS = 40;
/** A text n times as long may take 4n times the time. */
const SLACK = 4;
/** No reader may take longer for 1 MiB. */
const MAX_MS = 1_500;

/** A function that reads text of others. */
export type Reader = (text: string) => unknown;

export interface SlowReading {
  readonly text: string;
  readonly chars: number;
  readonly ms: number;
}

/**
 * Gives a reader up to 1 MiB of each hostile text, and reports those for which its time grows faster than
 * the text. A shorter text comes first, so that a quadratic reader fails early and does not hang the test.
 */
export async function slowReadings(
  read: Reader,
  texts: readonly HostileText[] = HOSTILE_TEXTS,
): Promise<SlowReading[]> {
  const slow: SlowReading[] = [];
  for (const text of texts) {
    const reading = await slowReading(read, text);
    if (reading) slow.push(reading);
  }
  return slow;
}

async function slowReading(read: Reader, { name, ofLength, isOnlyRepeated }: HostileText) {
  const first = await leastTime(read, ofLength(SCREENED_CHARS), NOISE_MS);
  if (first > MAX_MS / 4) return { text: name, chars: SCREENED_CHARS, ms: first };
  const chars = isOnlyRepeated ? LONG_CHARS * 4 : LONG_CHARS;
  const growth = (chars / SCREENED_CHARS) * SLACK;
  const allowed = Math.min(MAX_MS, Math.max(NOISE_MS * 4, first * growth));
  const ms = await leastTime(read, ofLength(chars), allowed);
  if (ms <= allowed) return undefined;
  // The time for the short text may have been lucky. A quarter of the text takes a quarter of the time, or a sixteenth.
  const quarter = await leastTime(read, ofLength(chars / 4), 0);
  return ms > MAX_MS || ms > quarter * 4 * 2 ? { text: name, chars, ms } : undefined;
}

/** For packages that run in a browser this file has no types of Node. */
const { process } = globalThis as unknown as {
  readonly process: { cpuUsage(): { readonly user: number; readonly system: number } };
};

/** Time of the processor, not of the clock: other processes may be at work, too. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The collector of garbage may be at work meanwhile: a slow reading is repeated, and the quickest counts. */
async function leastTime(read: Reader, text: string, enough: number): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 3 && least > enough; attempt += 1) {
    const started = busyMs();
    try {
      await read(text);
    } catch {
      // A refusal is an answer; only its time counts here.
    }
    least = Math.min(least, busyMs() - started);
  }
  return least;
}
