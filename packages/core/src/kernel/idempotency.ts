import type { Secrets } from '../ports.js';
import type { LogEntry } from './entry.js';
import type { Idempotency } from './log.js';
import { stableJson } from './stable-json.js';

/** Stores a fingerprint of the request with its key, so that the same key with another request is refused. */
export function idempotency<R>(
  secrets: Secrets,
  key: string | undefined,
  asked: unknown,
  replay: (entry: LogEntry) => R,
): Idempotency<R> | undefined {
  if (key === undefined) return undefined;
  return { key, fingerprint: secrets.digest(stableJson(asked)), replay };
}
