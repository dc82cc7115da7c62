import { LIMITS } from '@stoa/protocol';
import type { Clock, Secrets } from '../ports.js';

const PREFIX = 'stoa_access_';

interface Granted {
  readonly credentialId: string;
  readonly expiresAt: number;
}

/**
 * Access tokens, which the page of a browser login sends with its requests. They are kept only in memory and end after minutes
 * and with this process, so a recorded token is useless after a restart.
 */
export class AccessTokens {
  /** By digest, oldest first. */
  readonly #granted = new Map<string, Granted>();

  constructor(
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  grant(credentialId: string): { accessToken: string; expiresAt: number } {
    this.#makeRoom(credentialId);
    const accessToken = `${PREFIX}${this.secrets.generate()}`;
    const expiresAt = this.clock.now() + LIMITS.accessTokenMs;
    this.#granted.set(this.secrets.digest(accessToken), { credentialId, expiresAt });
    return { accessToken, expiresAt };
  }

  /** The credential of a token. The caller has to check whether the credential is still valid. */
  find(accessToken: string): string | undefined {
    if (!accessToken.startsWith(PREFIX)) return undefined;
    const found = this.#granted.get(this.secrets.digest(accessToken));
    return found && found.expiresAt > this.clock.now() ? found.credentialId : undefined;
  }

  #makeRoom(credentialId: string): void {
    const now = this.clock.now();
    const own: string[] = [];
    for (const [digest, granted] of this.#granted) {
      if (granted.expiresAt <= now) this.#granted.delete(digest);
      else if (granted.credentialId === credentialId) own.push(digest);
    }
    const surplus = own.length - LIMITS.accessTokensPerLogin + 1;
    for (const digest of own.slice(0, Math.max(0, surplus))) this.#granted.delete(digest);
  }
}
