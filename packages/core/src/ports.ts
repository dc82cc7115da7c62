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
}

/** The bytes of assets, addressed by their digest. Writing is durable before it resolves, and idempotent. */
export interface AssetFiles {
  write(bytes: Uint8Array): Promise<{ readonly digest: string; readonly mediaType: string }>;
  exists(digest: string): Promise<boolean>;
  remove(digest: string): Promise<void>;
}
