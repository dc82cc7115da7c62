import { openSqlite, type SqliteDatabase, SqliteStore, type Store } from '@stoa/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { corePorts } from '../core-ports.fixture.js';
import { createCore } from '../create-core.js';

const DAY = 24 * 3_600_000;
const ROWS = 1_200;

describe('a sweep', () => {
  let db: SqliteDatabase;
  let store: Store;
  let now: number;

  beforeEach(() => {
    db = openSqlite(':memory:');
    store = new SqliteStore(db, { durability: 'relaxed' });
    now = 100 * DAY;
  });
  afterEach(() => store.close());

  const newCore = () => createCore(corePorts(store, { clock: { now: () => now } }));
  const count = (table: string): unknown =>
    db.prepare<[], { count: number }>(`SELECT count(*) AS "count" FROM "${table}"`).get()?.count;

  /** A deleted channel whose rows are not erased yet. */
  function eraseChannel(): void {
    db.exec(
      `INSERT INTO "topics" ("id", "name", "floor") VALUES (1, 'channel:gone', 5);
       INSERT INTO "erasures" VALUES (1);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(ROWS)})
       INSERT INTO "readCursors" SELECT 'h' || i, 1, 1 FROM n`,
    );
  }

  it('stops between two transactions when it has no time left, and continues the next time', async () => {
    eraseChannel();
    const { sweeper } = newCore();
    await sweeper.sweep(() => count('readCursors') === ROWS);
    expect(count('readCursors')).toBe(ROWS - 500);
    expect(count('erasures')).toBe(1);
    expect((await sweeper.sweep()).erasedRows).toBe(ROWS - 500);
    expect([count('readCursors'), count('erasures')]).toEqual([0, 0]);
  });

  it('revokes expired credentials, so that streams which use them are informed', async () => {
    const core = newCore();
    await core.credentials.adoptOwnerToken('owner secret', 'here');
    const owner = { kind: 'human', id: 'owner', owner: true, credentialId: 'system' } as const;
    const { code } = await core.loginCodes.create(owner);
    const { ticket } = await core.loginCodes.ask(code);
    const { credentialId } = await core.loginCodes.redeem({ code, ticket });
    const isListed = async (): Promise<boolean> =>
      (await core.credentials.list()).some(
        (each) => each.credentialId === credentialId && each.revokedAt === undefined,
      );
    expect(await isListed()).toBe(true);
    now += 30 * DAY;
    await core.sweeper.sweep();
    expect(await isListed()).toBe(false);
    const slice = await core.readTopic(owner, 'human:owner', 0, 10);
    expect(slice.entries.at(-1)?.type).toBe('credential_revoked');
    now += 2 * DAY;
    expect((await core.sweeper.sweep()).credentials).toBe(1);
    expect(
      await core.credentials.authenticate({ as: 'token', secret: 'owner secret' }),
    ).toBeDefined();
  });

  it('keeps a login code that was created after the clock went back', async () => {
    const core = newCore();
    await core.credentials.adoptOwnerToken('owner secret', 'here');
    const owner = { kind: 'human', id: 'owner', owner: true, credentialId: 'system' } as const;
    for (let i = 0; i < 20; i++) await core.loginCodes.create(owner);
    now -= 60_000;
    const { code } = await core.loginCodes.create(owner);
    expect(count('loginCodes')).toBe(20);
    const { ticket } = await core.loginCodes.ask(code);
    expect(await core.loginCodes.redeem({ code, ticket })).toHaveProperty('key');
  });
});
