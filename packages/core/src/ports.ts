/** Everything core needs from the world. Simulation gives its own; nothing here is ambient. */
export interface Clock {
  /** Epoch milliseconds. May go back. */
  now(): number;
}

export interface Ids {
  /** A new id `<prefix>_…`: sorts by time, never repeats, 26 characters after the prefix. */
  next(prefix: string): string;
}

export interface Secrets {
  /** A fresh, unguessable, URL-safe string. */
  generate(): string;
  /** SHA-256 in hex; what is stored of a secret, and how requests are compared. */
  digest(text: string): string;
  /** The HMAC-SHA256 of the parts, one after the other, in hex. */
  sign(secret: string, parts: readonly (string | Uint8Array)[]): string;
  /** Whether this is the HMAC-SHA256 of the parts, one after the other, in hex; in constant time. */
  verifies(secret: string, signed: readonly (string | Uint8Array)[], signature: string): boolean;
}

/** The bytes of assets, addressed by their digest. Writing is durable before it resolves, and idempotent. */
export interface AssetFiles {
  write(bytes: Uint8Array): Promise<{ readonly digest: string; readonly mediaType: string }>;
  exists(digest: string): Promise<boolean>;
  read(digest: string): Promise<Uint8Array>;
  remove(digest: string): Promise<void>;
}

export interface Timers {
  /** Calls back once, not before this many milliseconds. Returns what calls it off. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** What follows from a cadence; needs time zones, which are not core's. */
export interface Calendar {
  /** The first time after `after` that a cron expression names; undefined when there is none. Throws `invalid_schedule`. */
  nextCron(expression: string, timeZone: string, after: number): number | undefined;
}
