import {
  type AccessToken,
  type DaemonProof,
  type GrantAccess,
  LIMITS,
  type ProveDaemon,
  proofText,
  StoaError,
} from '@stoa/protocol';
import { findBrowserLogin, listTokensBetween, type Store } from '@stoa/store';
import type { Clock, Secrets } from '../ports.js';
import type { AccessTokens } from './access-tokens.js';
import type { SessionTokens } from './session-tokens.js';

/** Digests rarely share their first 8 hex digits, so few candidates are enough. */
const CANDIDATES = 4;

/*
 * How two sides that share a key prove it to each other without sending it:
 *
 *   caller → daemon   nonce, host, the name of the key
 *   daemon → caller   challenge, HMAC(key, "daemon", host, nonce, challenge)
 *   page   → daemon   HMAC(key, "page", host, nonce, challenge)
 *   daemon → page     an access token
 *
 * A caller with a token stops after the second line and then sends its token. The key of a token is its digest. The key of
 * a browser login is derived from the key of the data directory and the id of the credential, so the store contains
 * nothing that could prove it, and the daemon can prove itself also to a login that has ended.
 *
 * A challenge is valid once, for a minute and for this process. It is signed, so requests for many challenges take no
 * memory.
 */
export class Proofs {
  readonly #processSecret: string;
  /** Used challenges, with the time until which they must be remembered. */
  readonly #answered = new Map<string, number>();

  constructor(
    private readonly store: Store,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly accessTokens: AccessTokens,
    private readonly sessionTokens: SessionTokens,
    private readonly browserKey: string,
  ) {
    this.#processSecret = secrets.generate();
  }

  /** The key of this browser login. */
  keyOf(credentialId: string): string {
    return this.secrets.sign(this.browserKey, ['stoa-browser-login\n', credentialId]);
  }

  async prove(asked: ProveDaemon): Promise<DaemonProof> {
    const challenge = this.#challenge();
    const { host, nonce } = asked;
    const keys =
      asked.of === 'browser'
        ? [this.keyOf(asked.credentialId)]
        : await this.#digestsWith(asked.digestPrefix);
    const text = proofText('daemon', { host, nonce, challenge });
    return { challenge, proofs: keys.map((key) => this.secrets.sign(key, [text])) };
  }

  async grant(asked: GrantAccess): Promise<AccessToken> {
    const { credentialId, challenge, host, nonce, proof } = asked;
    const key = this.keyOf(credentialId);
    const text = proofText('page', { host, nonce, challenge });
    if (!this.#isValid(challenge) || !this.secrets.verifies(key, [text], proof)) {
      throw new StoaError('unauthenticated', 'The proof of the browser login is not valid');
    }
    this.#remember(challenge);
    const now = this.clock.now();
    const login = await this.store.read(() => findBrowserLogin.first({ credentialId, now }));
    if (login?.hash !== this.secrets.digest(key)) {
      throw new StoaError('unauthenticated', 'The browser login has ended');
    }
    return this.accessTokens.grant(credentialId);
  }

  async #digestsWith(prefix: string): Promise<string[]> {
    const now = this.clock.now();
    const range = { from: prefix, to: `${prefix}g`, now, limit: CANDIDATES };
    const tokens = await this.store.read(() => listTokensBetween.all(range));
    return [...this.sessionTokens.digestsWith(prefix), ...tokens.map(({ hash }) => hash)];
  }

  #challenge(): string {
    const expiresAt = String(this.clock.now() + LIMITS.proofChallengeMs);
    const body = `${expiresAt}.${this.secrets.generate()}`;
    return `${body}.${this.secrets.sign(this.#processSecret, [body])}`;
  }

  #isValid(challenge: string): boolean {
    const [expiresAt = '', random = '', mac = ''] = challenge.split('.');
    const isOurs = this.secrets.verifies(this.#processSecret, [`${expiresAt}.${random}`], mac);
    return isOurs && Number(expiresAt) > this.clock.now() && !this.#answered.has(challenge);
  }

  #remember(challenge: string): void {
    const now = this.clock.now();
    for (const [each, until] of this.#answered) if (until <= now) this.#answered.delete(each);
    this.#answered.set(challenge, now + LIMITS.proofChallengeMs);
  }
}
