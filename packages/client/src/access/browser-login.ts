import { fetchTransport } from '../http/fetch-transport.js';
import { StoaProblem } from '../problem.js';
import type { CallerCredential } from './caller-credential.js';
import { grantAccess, type ProofPorts, type Sign } from './daemon-proof.js';

/*
 * The access of one page:
 *
 *   none    no access token
 *   asking  the daemon and the page prove the key of the login to each other
 *   held    there is an access token, which was granted less than three minutes ago
 *
 *   none ─secret()→ asking ─granted→ held ─doubt(), refused() or three minutes→ none
 *                   asking ─not proven, refused or lost→ none
 */

export interface LoginKey {
  readonly credentialId: string;
  readonly sign: Sign;
}

export interface BrowserLoginPorts extends Partial<Omit<ProofPorts, 'baseUrl'>> {
  readonly baseUrl: string;
  /** The key that this browser keeps for this origin. */
  readonly key: () => Promise<LoginKey | undefined>;
  /** Called after each attempt: access was granted, or why not. */
  readonly onOutcome: (problem: StoaProblem | undefined) => void;
  readonly now?: () => number;
}

const TIMEOUT_MS = 30_000;

/** Well below `LIMITS.accessTokenMs`. */
const RENEW_AFTER_MS = 3 * 60_000;

/** The credential of a page: an access token in memory, for which page and daemon prove the key of the login. */
export function browserLogin(options: BrowserLoginPorts): CallerCredential {
  const ports = { transport: fetchTransport, timeoutMs: TIMEOUT_MS, now: Date.now, ...options };
  let held: { readonly token: string; readonly since: number } | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    try {
      const key = await ports.key();
      if (!key) throw new StoaProblem('unauthenticated', 401, 'This browser is not logged in');
      const since = ports.now();
      const { accessToken } = await grantAccess(ports, key.credentialId, key.sign);
      held = { token: accessToken, since };
      ports.onOutcome(undefined);
      return accessToken;
    } catch (error) {
      if (error instanceof StoaProblem) ports.onOutcome(error);
      throw error;
    } finally {
      asking = undefined;
    }
  }

  return {
    header: (token) => ['stoa-access-token', token],
    async secret() {
      if (held && ports.now() - held.since < RENEW_AFTER_MS) return held.token;
      asking ??= ask();
      return await asking;
    },
    doubt() {
      held = undefined;
    },
    refused(token) {
      if (held?.token === token) held = undefined;
      return true;
    },
  };
}
