import { type BrowserLogin, LIMITS, type LogIn, type Principal, StoaError } from '@stoa/protocol';
import {
  deleteLoginCodesExpiredBefore,
  deleteOlderLoginCodes,
  findCredential,
  findLoginCode,
  insertLoginCode,
  type LoginCodeRow,
  type Store,
  takeLoginCode,
} from '@stoa/store';
import type { Clock, Secrets } from '../ports.js';
import type { Credentials } from './credentials.js';
import type { Proofs } from './proofs.js';
import { humanIdOf } from './rules.js';

/** Every start of the daemon creates a code, so a new code replaces the oldest instead of being refused. */
const CODES_AT_ONCE = 20;

/**
 * Login codes appear in URLs, so they are weak: they work once, within ten minutes, and not after the credential that requested
 * them is revoked.
 */
export class LoginCodes {
  /** Signs tickets. A page that was opened before a restart has to be loaded again. */
  readonly #processSecret: string;

  constructor(
    private readonly store: Store,
    private readonly credentials: Credentials,
    private readonly proofs: Proofs,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {
    this.#processSecret = secrets.generate();
  }

  async create(principal: Principal): Promise<{ code: string; expiresAt: number }> {
    const humanId = humanIdOf(principal);
    const asking = principal.kind === 'human' ? principal.credentialId : '';
    const code = this.secrets.generate();
    const hash = this.secrets.digest(code);
    const now = this.clock.now();
    const expiresAt = now + LIMITS.loginCodeMs;
    await this.store.transact(function* () {
      yield* deleteLoginCodesExpiredBefore.run({ before: now });
      // The daemon requests one at its start, without a stored credential.
      const credentialId = (yield* findCredential.first({ credentialId: asking }))?.credentialId;
      yield* insertLoginCode.run({ hash, humanId, credentialId: credentialId ?? null, expiresAt });
      yield* deleteOlderLoginCodes.run({ humanId, hash, others: CODES_AT_ONCE - 1 });
    });
    return { code, expiresAt };
  }

  /** The owner of a code, and a ticket for the page that asks whether to use it. Does not use up the code. */
  async ask(code: string): Promise<{ humanId: string; displayName: string; ticket: string }> {
    const { humanId, displayName } = await this.#find(code);
    return { humanId, displayName: displayName ?? humanId, ticket: this.#ticket(code) };
  }

  /** Exchanges a code for the key of a browser login. A used or expired code is refused. */
  async redeem({ code, ticket }: LogIn): Promise<BrowserLogin> {
    if (!this.secrets.verifies(this.#processSecret, [code], ticket)) {
      throw new StoaError(
        'login_code_invalid',
        'Only its login page can exchange a code: open the link again',
      );
    }
    const taken = await this.#take(code);
    const { credentialId } = await this.credentials.issue({
      humanId: taken.humanId,
      kind: 'browser',
      name: 'browser login',
      secret: (id) => this.proofs.keyOf(id),
      onBehalfOf: taken.credentialId ?? undefined,
    });
    return { credentialId, key: this.proofs.keyOf(credentialId) };
  }

  /**
   * A browser login needs a valid login code of its person to create and revoke credentials. The code is used up. Other
   * credentials need none.
   */
  async assertFresh(principal: Principal, code: string | undefined): Promise<void> {
    if (principal.kind !== 'human' || principal.via !== 'browser') return;
    if (code === undefined) {
      throw new StoaError(
        'fresh_login_required',
        'Run stoa login and send the code of its link in Stoa-Login-Code',
      );
    }
    try {
      const known = await this.#find(code);
      if (known.humanId === principal.id) await this.#take(code);
      else throw new StoaError('login_code_invalid');
    } catch (error) {
      if (!(error instanceof StoaError) || error.code !== 'login_code_invalid') throw error;
      throw new StoaError(
        'fresh_login_required',
        'The login code is used, expired or not one of yours; run stoa login for a new one',
        [],
        { cause: error },
      );
    }
  }

  #ticket(code: string): string {
    return this.secrets.sign(this.#processSecret, [code]);
  }

  async #find(code: string): Promise<LoginCodeRow & { displayName: string | null }> {
    const hash = this.secrets.digest(code);
    const now = this.clock.now();
    const found = await this.store.read(() => findLoginCode.first({ hash, now }));
    if (!found) throw new StoaError('login_code_invalid');
    return found;
  }

  async #take(code: string): Promise<LoginCodeRow> {
    const hash = this.secrets.digest(code);
    const taken = await this.store.transact(() => takeLoginCode.first({ hash }));
    if (!taken || taken.expiresAt <= this.clock.now()) throw new StoaError('login_code_invalid');
    return taken;
  }
}
