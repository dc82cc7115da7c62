import { LIMITS, type Principal, StoaError } from '@stoa/protocol';
import {
  deleteLoginCodesExpiredBefore,
  deleteOlderLoginCodes,
  findCredential,
  insertLoginCode,
  type Store,
  takeLoginCode,
} from '@stoa/store';
import type { Clock, Secrets } from '../ports.js';
import type { Credentials } from './credentials.js';
import { humanIdOf } from './rules.js';

/** Each start makes one: a new code takes the place of the oldest, so that it is never refused. */
const CODES_AT_ONCE = 20;

/**
 * A code stands in a URL for a moment, so it is worth little: one use, ten minutes, never the token,
 * and nothing once the credential that asked for it is revoked.
 */
export class LoginCodes {
  constructor(
    private readonly store: Store,
    private readonly credentials: Credentials,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async create(principal: Principal): Promise<{ code: string; expiresAt: number }> {
    const humanId = humanIdOf(principal);
    const asking = principal.kind === 'human' ? principal.credentialId : '';
    const code = this.secrets.generate();
    const hash = this.secrets.digest(code);
    const now = this.clock.now();
    const expiresAt = now + LIMITS.loginCodeMs;
    await this.store.transact(function* () {
      yield* deleteLoginCodesExpiredBefore.run({ before: now });
      // The daemon itself asks for one at its start, with no credential that is kept.
      const credentialId = (yield* findCredential.first({ credentialId: asking }))?.credentialId;
      yield* insertLoginCode.run({ hash, humanId, credentialId: credentialId ?? null, expiresAt });
      yield* deleteOlderLoginCodes.run({ humanId, hash, others: CODES_AT_ONCE - 1 });
    });
    return { code, expiresAt };
  }

  /** Exchanges a code for a browser credential. Whoever comes second, or late, gets nothing. */
  async redeem(code: string): Promise<string> {
    const hash = this.secrets.digest(code);
    const taken = await this.store.transact(() => takeLoginCode.first({ hash }));
    if (!taken || taken.expiresAt <= this.clock.now()) throw new StoaError('login_code_invalid');
    const secret = `stoa_browser_${this.secrets.generate()}`;
    await this.credentials.issue({
      humanId: taken.humanId,
      kind: 'browser',
      name: 'browser login',
      secret,
      onBehalfOf: taken.credentialId ?? undefined,
    });
    return secret;
  }
}
