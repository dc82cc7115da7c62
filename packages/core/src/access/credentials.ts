import {
  actorIdOf,
  type Credential,
  type CredentialKind,
  humanTopic,
  LIMITS,
  type MintedToken,
  type MintToken,
  type Principal,
  StoaError,
  SYSTEM,
  type Whoami,
} from '@stoa/protocol';
import {
  type ActiveCredentialRow,
  type CredentialRow,
  countActiveCredentials,
  deleteLoginCodesOf,
  deleteRevokedCredential,
  findBrowserLogin,
  findCredential,
  findHuman,
  findSessionEnd,
  findTokenByHash,
  insertCredential,
  insertHuman,
  insertTopic,
  listActiveCredentials,
  listBrowserLogins,
  listCredentials,
  listExpiredCredentials,
  listHumans,
  revokeCredential,
  type Store,
  type Tx,
} from '@stoa/store';
import type { Decision, Log } from '../kernel/log.js';
import type { Clock, Ids, Secrets } from '../ports.js';
import type { AccessTokens } from './access-tokens.js';
import { assertDistinct, type Named } from './confusable-names.js';
import { humanIdOf } from './rules.js';
import type { SessionTokens } from './session-tokens.js';

export const OWNER_ID = 'owner';

/** The secret of a request. An access token is not accepted as a token, nor the other way round. */
export interface Presented {
  readonly as: 'token' | 'access token';
  readonly secret: string;
}

/** The store keeps only digests of secrets. */
export class Credentials {
  constructor(
    private readonly store: Store,
    private readonly log: Log,
    private readonly ids: Ids,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly sessionTokens: SessionTokens,
    private readonly accessTokens: AccessTokens,
  ) {}

  /** The principal that a secret proves, if any. Called for every request. */
  async authenticate({ as, secret }: Presented): Promise<Principal | undefined> {
    const now = this.clock.now();
    if (as === 'access token') {
      const credentialId = this.accessTokens.find(secret);
      if (credentialId === undefined) return undefined;
      const login = await this.store.read(() => findBrowserLogin.first({ credentialId, now }));
      const principal = login && principalOf(login);
      return principal?.kind === 'human' ? { ...principal, via: 'browser' } : undefined;
    }
    const session = this.sessionTokens.find(secret);
    if (session) return (await this.#hasEnded(session.id)) ? undefined : session;
    const hash = this.secrets.digest(secret);
    const row = await this.store.read(() => findTokenByHash.first({ hash, now }));
    return row && principalOf(row);
  }

  /** Also finds sessions that another daemon ended, whose program may still use its token. */
  async #hasEnded(sessionId: string): Promise<boolean> {
    const row = await this.store.read(() => findSessionEnd.first({ sessionId }));
    return row !== undefined && row.endedAt !== null;
  }

  async whoami(principal: Principal): Promise<Whoami> {
    const humanId = humanIdOf(principal);
    const human = await this.store.read(() => findHuman.first({ humanId }));
    if (!human || principal.kind !== 'human') throw new StoaError('unauthenticated');
    return {
      actorId: actorIdOf(principal),
      displayName: human.displayName,
      role: human.role === 'owner' ? 'owner' : 'member',
      credentialId: principal.credentialId,
    };
  }

  /**
   * Makes this secret the owner token of a data directory and revokes its earlier ones. On SQLite it revokes those of other
   * directories too: the store is then a copy of theirs. On PostgreSQL several daemons share the data, each with its own
   * directory and token.
   */
  async adoptOwnerToken(secret: string, directory: string): Promise<void> {
    const hash = this.secrets.digest(secret);
    const name = `owner token of ${directory}`;
    const now = this.clock.now();
    const known = await this.store.read(() =>
      listActiveCredentials.all({ kind: 'owner_token', now }),
    );
    const shared = this.store.engine === 'postgres';
    for (const row of known) {
      if (row.hash !== hash && (!shared || row.name === name))
        await this.revoke(SYSTEM, row.credentialId);
    }
    if (known.some((row) => row.hash === hash)) return;
    const taken = await this.store.read(() => findTokenByHash.first({ hash, now }));
    if (taken) {
      throw new StoaError(
        'data_directory_unusable',
        `The token file of ${directory} holds a token of ${taken.principalKind}:${taken.principalId}; ` +
          'remove the file, and a new owner token will be created',
      );
    }
    await this.store.transact(() => deleteRevokedCredential.run({ hash }));
    await this.issue({ humanId: OWNER_ID, kind: 'owner_token', name, secret });
  }

  async mint(request: MintToken): Promise<MintedToken> {
    const secret = `stoa_${this.secrets.generate()}`;
    const credential = await this.issue({ ...request, kind: 'human_token', secret });
    return { token: secret, credential };
  }

  list(): Promise<Credential[]> {
    const now = this.clock.now();
    return this.store.read(function* () {
      return (yield* listCredentials.all({ now, limit: LIMITS.tokens })).map(credentialRecord);
    });
  }

  /** Revokes expired credentials, so that streams which still use them are informed. */
  async revokeExpired(limit: number, keepGoing: () => boolean): Promise<void> {
    if (!keepGoing()) return;
    const now = this.clock.now();
    const expired = await this.store.read(() => listExpiredCredentials.all({ now, limit }));
    for (const { credentialId } of expired)
      if (keepGoing()) await this.revoke(SYSTEM, credentialId);
  }

  /** Effective at once: the next request fails, and live streams learn of it on the human's topic. */
  async revoke(principal: Principal, credentialId: string): Promise<void> {
    const known = await this.store.read(() => findCredential.first({ credentialId }));
    if (!known) throw new StoaError('token_not_found', `There is no token ${credentialId}`);
    if (known.kind === 'owner_token') assertNotOwnToken(principal, credentialId);
    const topic = humanTopic(known.principalId);
    await this.log.write({
      actor: actorIdOf(principal),
      lane: topic,
      open: () => findCredential.first({ credentialId }),
      *decide(_, at): Tx<Decision<void>> {
        const revoked = yield* revokeCredential.changes({ credentialId, at });
        yield* deleteLoginCodesOf.run({ credentialId });
        const event = { type: 'credential_revoked' as const, data: { credentialId } };
        return { events: revoked > 0 ? [{ topic, event }] : [], answer: () => undefined };
      },
    });
  }

  issue(request: Issue): Promise<Credential> {
    const { humanId, kind, name, secret } = request;
    const now = this.clock.now();
    const credentialId = this.ids.next('crd');
    const row: Omit<CredentialRow, 'revokedAt'> = {
      credentialId,
      kind,
      name,
      principalKind: 'human',
      principalId: humanId,
      hash: this.secrets.digest(typeof secret === 'string' ? secret : secret(credentialId)),
      createdAt: now,
      expiresAt: kind === 'browser' ? now + LIMITS.browserLoginMs : null,
    };
    const topic = humanTopic(humanId);
    return this.log.write({
      actor: 'system',
      lane: topic,
      open: () => ensureHuman(humanId, request.displayName, now),
      *decide(_, at): Tx<Decision<Credential>> {
        if (request.onBehalfOf !== undefined) yield* assertUnrevoked(request.onBehalfOf);
        const replaced = kind === 'browser' ? yield* replaceOldest(humanId, at) : [];
        if (kind !== 'owner_token') yield* assertRoom(at);
        yield* insertCredential.run(row);
        return {
          events: [
            ...replaced.map((event) => ({ topic, event })),
            { topic, event: { type: 'credential_created', data: { credentialId, name } } },
          ],
          answer: () => credentialRecord({ ...row, revokedAt: null }),
        };
      },
    });
  }
}

interface Issue {
  readonly humanId: string;
  readonly kind: CredentialKind;
  readonly name: string;
  /** The secret, or a function that creates it for the id of the credential. */
  readonly secret: string | ((credentialId: string) => string);
  readonly displayName?: string | undefined;
  /** The credential that requested this one: if it is revoked, nothing is issued. */
  readonly onBehalfOf?: string | undefined;
}

type Revoked = { readonly type: 'credential_revoked'; readonly data: { credentialId: string } };

/** A browser that loses its key leaves an unused login, so a new login replaces the oldest. */
function* replaceOldest(humanId: string, at: number): Tx<Revoked[]> {
  const logins = yield* listBrowserLogins.all({ humanId, now: at });
  const oldest = logins.slice(0, Math.max(0, logins.length - LIMITS.browserLogins + 1));
  for (const { credentialId } of oldest) {
    yield* revokeCredential.run({ credentialId, at });
    yield* deleteLoginCodesOf.run({ credentialId });
  }
  return oldest.map(({ credentialId }) => ({ type: 'credential_revoked', data: { credentialId } }));
}

function* assertUnrevoked(credentialId: string): Tx<void> {
  const credential = yield* findCredential.first({ credentialId });
  if (credential?.revokedAt !== null) throw new StoaError('login_code_invalid');
}

function* assertRoom(now: number): Tx<void> {
  const active = (yield* countActiveCredentials.first({ now }))?.count ?? 0;
  if (active < LIMITS.tokens) return;
  throw new StoaError(
    'limit_reached',
    `At most ${String(LIMITS.tokens)} credentials may be active`,
  );
}

/** An owner who revoked their own token would lose access. */
function assertNotOwnToken(principal: Principal, credentialId: string): void {
  if (principal.kind !== 'human' || principal.credentialId !== credentialId) return;
  throw new StoaError('forbidden', 'The owner token cannot revoke itself: replace its file');
}

function principalOf(row: ActiveCredentialRow): Principal | undefined {
  const { credentialId, principalId: id } = row;
  if (row.principalKind === 'human')
    return { kind: 'human', id, owner: row.role === 'owner', credentialId };
  if (row.principalKind === 'session') return { kind: 'session', id, credentialId };
  if (row.principalKind === 'adapter') return { kind: 'adapter', id, credentialId };
  return undefined;
}

/** Creates a human and their topic, if they do not exist. */
function* ensureHuman(
  humanId: string,
  displayName: string | undefined,
  createdAt: number,
): Tx<void> {
  if (yield* findHuman.first({ humanId })) return;
  const role = humanId === OWNER_ID ? 'owner' : 'member';
  if (role === 'member') {
    const people = yield* knownPeople();
    for (const name of [humanId, displayName ?? humanId]) {
      assertDistinct(name, `human:${humanId}`, people);
    }
  }
  yield* insertHuman.run({ humanId, displayName: displayName ?? humanId, role, createdAt });
  yield* insertTopic.first({ name: humanTopic(humanId) });
}

/** Everybody who ever had a credential, with all their names. */
export function* knownPeople(): Tx<Named[]> {
  const people = yield* listHumans.all({});
  return people.map(({ humanId, displayName }) => ({
    actorId: `human:${humanId}`,
    names: [humanId, displayName],
  }));
}

function credentialRecord(row: CredentialRow): Credential {
  return {
    credentialId: row.credentialId,
    kind: row.kind as CredentialKind,
    name: row.name,
    humanId: row.principalId,
    createdAt: row.createdAt,
    ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt }),
    ...(row.revokedAt === null ? {} : { revokedAt: row.revokedAt }),
  };
}
