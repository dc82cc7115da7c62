import { StoaError } from '@stoa/protocol';
import { deleteCredentialsRevokedBefore, deleteLoginCodesExpiredBefore } from '@stoa/store';
import { nounIdOf } from '../kernel/entry.js';
import type { KernelPorts } from '../kernel/kernel.js';
import { defineModule, logOnly } from '../kernel/module.js';
import { AccessTokens } from './access-tokens.js';
import { Credentials } from './credentials.js';
import { LoginCodes } from './login-codes.js';
import { Proofs } from './proofs.js';
import { SessionTokens } from './session-tokens.js';

export interface AccessPorts extends Pick<KernelPorts, 'retention'> {
  /** The keys of browser logins are derived from it. Without it they end with this process. */
  readonly browserKey?: string | undefined;
}

/** Identifies callers: people with their tokens and browser logins, and sessions with their tokens. */
export const access = defineModule({
  name: 'access',
  needs: [],
  topics: [
    {
      kind: 'human',
      retention: 'newest',
      mayFollow(by, humanId) {
        if (by.kind === 'human' && by.id === humanId) return undefined;
        throw new StoaError(
          'forbidden',
          'The topic of a person can only be followed by that person',
        );
      },
    },
  ],
  events: { credential_created: logOnly, credential_revoked: logOnly },
  create({ store, log, ids, secrets, clock }, { browserKey, retention }: AccessPorts) {
    const sessionTokens = new SessionTokens(secrets);
    const accessTokens = new AccessTokens(secrets, clock);
    const key = browserKey ?? secrets.generate();
    const proofs = new Proofs(store, secrets, clock, accessTokens, sessionTokens, key);
    const credentials = new Credentials(
      store,
      log,
      ids,
      secrets,
      clock,
      sessionTokens,
      accessTokens,
    );
    const loginCodes = new LoginCodes(store, credentials, proofs, secrets, clock);
    return {
      services: { sessionTokens, proofs, credentials, loginCodes },
      after: {
        session_ended: ({ topic }) => {
          sessionTokens.sessionEnded(nounIdOf(topic));
        },
      },
      sweeps: {
        async credentials(keepGoing, chunk) {
          await credentials.revokeExpired(chunk, keepGoing);
          if (!keepGoing()) return 0;
          const before = clock.now() - retention.revokedCredentialMs;
          return store.transact(() => deleteCredentialsRevokedBefore.changes({ before }));
        },
        loginCodes() {
          const before = clock.now();
          return store.transact(() => deleteLoginCodesExpiredBefore.changes({ before }));
        },
      },
    };
  },
});
