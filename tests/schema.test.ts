import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineKind, Status } from '@stoa/protocol';
import { callerOf, DAEMON_ENGINES, type DaemonPlace, StartFailure } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const released = readdirSync(FIXTURES).filter((name) => /^schema-\d+$/.test(name));

const fixtureOf = (name: string, engine: EngineKind): string =>
  engine === 'sqlite' ? join(FIXTURES, name) : join(FIXTURES, name, engine);

describe('the fixtures of earlier programs', () => {
  it('F-13 are not made anew by accident', () => {
    const kept = () =>
      released.map((name) => readFileSync(join(FIXTURES, name, 'answers.json'), 'utf8'));
    const before = kept();
    const script = join(import.meta.dirname, 'fixtures/make-schema-fixture.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('only with --force');
    expect(kept()).toEqual(before);
  });
});

describe.each(DAEMON_ENGINES)('data of earlier programs on $name', (engine) => {
  let place: DaemonPlace;

  beforeEach(async () => {
    place = await engine.newPlace();
  });
  afterEach(() => place.discard());

  it('F-13 is kept as a fixture for every schema there has been', async () => {
    const daemon = await place.start();
    const { json } = await callerOf(daemon.url, daemon.token).get<Status>('/v1/status');
    const versions = Array.from(
      { length: json.schemaVersion },
      (_, i) => `schema-${String(i + 1)}`,
    );
    expect(released.sort()).toEqual(versions);
    const answers = versions.map((name) => join(fixtureOf(name, engine.name), 'answers.json'));
    expect(answers.filter((file) => !existsSync(file))).toEqual([]);
  });

  it.each(released)('F-13 as %s wrote it is opened and is all there', async (name) => {
    const fixture = fixtureOf(name, engine.name);
    await place.putBack(fixture);
    const { token, answers } = JSON.parse(readFileSync(join(fixture, 'answers.json'), 'utf8')) as {
      token: string;
      answers: Record<string, object>;
    };
    const daemon = await place.start();
    const ada = callerOf(daemon.url, token);
    for (const [route, answer] of Object.entries(answers)) {
      expect((await ada.get(route)).json, route).toMatchObject(answer);
    }
    const asset = Object.keys(answers).find((route) => route.startsWith('/v1/assets/')) ?? '';
    expect((await ada.get(`${asset}/raw`)).text).toBe('the plan\n');

    const owner = callerOf(daemon.url, daemon.token);
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
    const reused = await owner.post('/v1/channels', { channelId: 'gone', title: 'Again' });
    expect(reused.json).toMatchObject({ code: 'channel_exists' });
    expect((await ada.post('/v1/channels/lobby/messages', { text: 'it goes on' })).status).toBe(
      201,
    );
  });
});

describe.each(DAEMON_ENGINES)('a schema on $name', (engine) => {
  let place: DaemonPlace;

  beforeEach(async () => {
    place = await engine.newPlace();
  });
  afterEach(async () => {
    await place.discard();
  });

  async function refusal(): Promise<StartFailure> {
    const failure = await place.start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartFailure);
    expect((failure as StartFailure).code).not.toBe(0);
    expect((failure as StartFailure).stdout).toBe('');
    return failure as StartFailure;
  }

  it('F-14 newer than the program knows stops the start, and the version that is needed is named', async () => {
    const first = await place.start();
    const owner = callerOf(first.url, first.token);
    const { schemaVersion } = (await owner.get<Status>('/v1/status')).json;
    await owner.post('/v1/channels', { channelId: 'kept', title: 'Kept' });
    await first.stop();
    const [raise, lower] =
      engine.name === 'sqlite'
        ? ['PRAGMA user_version = 97', `PRAGMA user_version = ${String(schemaVersion)}`]
        : [
            `INSERT INTO "schemaVersions" ("version", "name", "appliedAt") VALUES (97, 'future', 0)`,
            'DELETE FROM "schemaVersions" WHERE "version" = 97',
          ];
    await place.query(raise);

    const { stderr } = await refusal();
    expect(stderr).toContain('schema_too_new');
    expect(stderr).toContain('version 97');
    expect(stderr).toContain(`up to ${String(schemaVersion)}`);
    expect(existsSync(join(place.home, 'daemon.json'))).toBe(false);

    await place.query(lower);
    const again = await place.start();
    const kept = await callerOf(again.url, again.token).get('/v1/channels/kept');
    expect(kept.status).toBe(200);
  });

  it('F-13 that cannot be brought up to date leaves the old data untouched', async () => {
    // Something is in the way of the first step: nothing of that step may stay.
    await place.query('CREATE TABLE "members" ("precious" TEXT)');
    await place.query(`INSERT INTO "members" VALUES ('kept')`);
    const tables =
      engine.name === 'sqlite'
        ? `SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'`
        : `SELECT "tablename" AS "name" FROM "pg_tables" WHERE "schemaname" = 'public'`;

    for (let attempt = 0; attempt < 2; attempt++) {
      const { stderr } = await refusal();
      expect(stderr).toContain('migration_failed');
      expect(stderr).toContain('Migration 1');
      expect(await place.query(tables)).toEqual([{ name: 'members' }]);
      expect(await place.query('SELECT * FROM "members"')).toEqual([{ precious: 'kept' }]);
    }

    await place.query('DROP TABLE "members"');
    const daemon = await place.start();
    expect((await callerOf(daemon.url, daemon.token).get('/v1/status')).status).toBe(200);
  });
});
