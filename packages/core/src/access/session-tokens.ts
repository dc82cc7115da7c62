import type { Principal } from '@stoa/protocol';
import type { Secrets } from '../ports.js';

const PREFIX = 'stoa_session_';

/** The right to act as one session; it ends when it is revoked, with the session and with the daemon. */
export interface SessionToken {
  readonly secret: string;
  revoke(): void;
}

/**
 * Tokens for the programs that run sessions. They are that session's identity and nothing more, and are
 * kept in memory only: who holds one is a child of this daemon and ends with it.
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

  /** The program of a session may outlive it, because it serves others. Its tokens for this session do not. */
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

  /** Calls back when this token is revoked. Returns what ends the watching. */
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
