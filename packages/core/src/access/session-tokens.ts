import type { Principal } from '@stoa/protocol';
import type { Secrets } from '../ports.js';

const PREFIX = 'stoa_session_';

/** Lets a program act as one session, until it is revoked, the session ends or the daemon stops. */
export interface SessionToken {
  readonly secret: string;
  revoke(): void;
}

/**
 * Tokens for the programs that run sessions. Each identifies one session. They are kept only in memory, because the programs are
 * child processes of this daemon and end with it.
 */
export class SessionTokens {
  readonly #sessions = new Map<string, string>();
  readonly #watchers = new Map<string, Set<() => void>>();

  constructor(private readonly secrets: Secrets) {}

  issue(sessionId: string): SessionToken {
    const secret = `${PREFIX}${this.secrets.generate()}`;
    const digest = this.secrets.digest(secret);
    this.#sessions.set(digest, sessionId);
    return {
      secret,
      revoke: () => {
        this.#revoke(digest);
      },
    };
  }

  /** Revokes the tokens of a session. Its program may continue, because it serves other sessions too. */
  sessionEnded(ended: string): void {
    for (const [digest, sessionId] of [...this.#sessions]) {
      if (sessionId === ended) this.#revoke(digest);
    }
  }

  find(secret: string): Extract<Principal, { kind: 'session' }> | undefined {
    if (!secret.startsWith(PREFIX)) return undefined;
    const id = this.#sessions.get(this.secrets.digest(secret));
    return id === undefined ? undefined : { kind: 'session', id, credentialId: 'session' };
  }

  /** The digests that begin with these hex digits. */
  digestsWith(prefix: string): string[] {
    return [...this.#sessions.keys()].filter((digest) => digest.startsWith(prefix));
  }

  /** Calls back when this token is revoked. Returns a function that ends the watch. */
  watch(secret: string, revoked: () => void): () => void {
    const digest = this.secrets.digest(secret);
    const watchers = this.#watchers.get(digest) ?? new Set();
    this.#watchers.set(digest, watchers.add(revoked));
    return () => {
      watchers.delete(revoked);
      if (watchers.size === 0) this.#watchers.delete(digest);
    };
  }

  #revoke(digest: string): void {
    if (!this.#sessions.delete(digest)) return;
    for (const end of this.#watchers.get(digest) ?? []) end();
  }
}
