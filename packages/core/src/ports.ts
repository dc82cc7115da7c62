/** The ports of core. A simulation has its own implementations. */
export interface Clock {
  /** Epoch milliseconds. May go back. */
  now(): number;
}

export interface Ids {
  /** A new id `<prefix>_…`: sorts by time, never repeats, 26 characters after the prefix. */
  next(prefix: string): string;
}

export interface Secrets {
  /** A new, unguessable, URL-safe string. */
  generate(): string;
  /** SHA-256 in hex. Stored instead of a secret, and used to compare requests. */
  digest(text: string): string;
  /** The HMAC-SHA256 of the parts, one after the other, in hex. */
  sign(secret: string, parts: readonly (string | Uint8Array)[]): string;
  /** Whether this is the HMAC-SHA256 of the parts, one after the other, in hex; in constant time. */
  verifies(secret: string, signed: readonly (string | Uint8Array)[], signature: string): boolean;
}

/** The bytes of assets, by digest. A write is durable when it resolves, and idempotent. */
export interface AssetFiles {
  write(bytes: Uint8Array): Promise<{ readonly digest: string; readonly mediaType: string }>;
  exists(digest: string): Promise<boolean>;
  read(digest: string): Promise<Uint8Array>;
  remove(digest: string): Promise<void>;
}

export interface Timers {
  /** Calls back once, after at least this many milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Times of cron expressions. Needs time zones, which core does not know. */
export interface Calendar {
  /** The first time after `after` that matches a cron expression; undefined if there is none. Throws `invalid_schedule`. */
  nextCron(expression: string, timeZone: string, after: number): number | undefined;
}
