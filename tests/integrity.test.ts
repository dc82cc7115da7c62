import { existsSync } from 'node:fs';
import type { IntegrityReport } from '@stoa/protocol';
import {
  callerOf,
  DAEMON_ENGINES,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { richActivity } from './rich-activity.js';

const LOBBY = `(SELECT "id" FROM "topics" WHERE "name" = 'channel:lobby')`;

describe.each(DAEMON_ENGINES)('the integrity check on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start({ config: 'retention:\n  sweepSeconds: 0.05\n' });
    await richActivity(daemon);
  });
  afterAll(async () => {
    await directory.discard();
  });

  async function check(): Promise<IntegrityReport> {
    const { status, json } = await callerOf(daemon.url, daemon.token).post<IntegrityReport>(
      '/v1/checks',
    );
    expect(status).toBe(200);
    return json;
  }

  /** Does something to the data behind the back of the daemon, looks, and takes it back. */
  async function checkWith(spoil: string, mend: string): Promise<IntegrityReport> {
    await directory.query(spoil);
    const report = await check();
    await directory.query(mend);
    expect(await check()).toMatchObject({ ok: true, problems: [] });
    return report;
  }

  it('F-15 finds every projection equal to a replay of its log, after everything people do', async () => {
    const report = await check();
    expect(report).toMatchObject({ ok: true, problems: [] });
    // Five channels that were, one of them erased, the topics of three people, and a session.
    expect(report.topics).toBe(5 + 3 + 1);
    const [counted] = await callerOf(daemon.url, daemon.token)
      .get<{ head: number }>('/v1/topics/channel:lobby/events?limit=1')
      .then(({ json }) => [json.head]);
    expect(report.events).toBeGreaterThan(counted ?? 0);
  });

  it('F-15 finds the same after what was erased is swept away, and after a restart', async () => {
    const left = `SELECT "seq" FROM "events" WHERE "topicId" = (SELECT "id" FROM "topics" WHERE "name" = 'channel:gone')`;
    await until('it is swept away', async () => (await directory.query(left)).length === 1);
    expect(await check()).toMatchObject({ ok: true, problems: [] });
    await daemon.stop();
    daemon = await directory.start();
    expect(await check()).toMatchObject({ ok: true, problems: [] });
  });

  it.each([
    {
      table: 'messages',
      spoil: `UPDATE "messages" SET "replyCount" = "replyCount" + 1 WHERE "topicId" = ${LOBBY} AND "rootMessageId" IS NULL`,
      mend: `UPDATE "messages" SET "replyCount" = "replyCount" - 1 WHERE "topicId" = ${LOBBY} AND "rootMessageId" IS NULL`,
    },
    {
      table: 'channels',
      spoil: `UPDATE "channels" SET "title" = 'Another' WHERE "channelId" = 'lobby'`,
      mend: `UPDATE "channels" SET "title" = 'The lobby' WHERE "channelId" = 'lobby'`,
    },
    {
      table: 'members',
      spoil: `UPDATE "members" SET "role" = 'owner' WHERE "memberId" = 'ada' AND "role" = 'host'`,
      mend: `UPDATE "members" SET "role" = 'host' WHERE "memberId" = 'ada' AND "role" = 'owner'`,
    },
    {
      table: 'reactions',
      spoil: `UPDATE "reactions" SET "actorId" = 'human:owner' WHERE "topicId" = ${LOBBY} AND "actorId" = 'human:bea'`,
      mend: `UPDATE "reactions" SET "actorId" = 'human:bea' WHERE "topicId" = ${LOBBY} AND "actorId" = 'human:owner'`,
    },
    {
      table: 'pins',
      spoil: `UPDATE "pins" SET "seq" = "seq" + 1 WHERE "topicId" = ${LOBBY}`,
      mend: `UPDATE "pins" SET "seq" = "seq" - 1 WHERE "topicId" = ${LOBBY}`,
    },
    {
      table: 'turns',
      spoil: `UPDATE "turns" SET "isOpen" = 1 - "isOpen" WHERE "topicId" = ${LOBBY}`,
      mend: `UPDATE "turns" SET "isOpen" = 1 - "isOpen" WHERE "topicId" = ${LOBBY}`,
    },
    {
      table: 'leases',
      spoil: `UPDATE "leases" SET "outcome" = 'silent' WHERE "topicId" = ${LOBBY}`,
      mend: `UPDATE "leases" SET "outcome" = 'spoke' WHERE "topicId" = ${LOBBY}`,
    },
    {
      table: 'decisions',
      spoil: `UPDATE "decisions" SET "seq" = "seq" + 1000 WHERE "topicId" = ${LOBBY}`,
      mend: `UPDATE "decisions" SET "seq" = "seq" - 1000 WHERE "topicId" = ${LOBBY}`,
    },
    {
      table: 'attachments',
      spoil: `INSERT INTO "attachments" ("assetId", "topicId", "messageId")
              SELECT 'ast_x', "topicId", "messageId" FROM "messages" WHERE "topicId" = ${LOBBY} LIMIT 1`,
      mend: `DELETE FROM "attachments" WHERE "assetId" = 'ast_x'`,
    },
  ])(
    'F-15 finds a row of $table that was changed behind its back',
    async ({ table, spoil, mend }) => {
      const report = await checkWith(spoil, mend);
      expect(report.ok).toBe(false);
      expect(report.problems).toHaveLength(1);
      expect(report.problems[0]).toContain('channel:lobby');
      expect(report.problems[0]).toContain(table);
    },
  );

  it('F-15 tells of an event that cannot be read, and goes on with the other topics', async () => {
    const at = `"topicId" = ${LOBBY} AND "seq" = 1`;
    const report = await checkWith(
      `UPDATE "events" SET "body" = '!' || "body" WHERE ${at}`,
      `UPDATE "events" SET "body" = substr("body", 2) WHERE ${at}`,
    );
    expect(report.ok).toBe(false);
    expect(report.problems).toHaveLength(1);
    expect(report.problems[0]).toContain('channel:lobby: event 1 cannot be replayed: ');
    expect(report.topics).toBe(5 + 3 + 1);
  });

  it('F-15 tells of an event that contradicts another one', async () => {
    const at = `"topicId" = ${LOBBY} AND "seq" = 2`;
    const [known] = await directory.query(`SELECT "type", "body" FROM "events" WHERE ${at}`);
    const [first] = await directory.query(
      `SELECT "body" FROM "events" WHERE "topicId" = ${LOBBY} AND "seq" = 1`,
    );
    const set = (type: unknown, body: unknown): string =>
      `UPDATE "events" SET "type" = '${String(type)}', "body" = '${String(body).replaceAll("'", "''")}' WHERE ${at}`;
    const report = await checkWith(
      set('channel_created', first?.['body']),
      set(known?.['type'], known?.['body']),
    );
    expect(report.problems).toHaveLength(1);
    expect(report.problems[0]).toContain('channel:lobby: event 2 cannot be replayed: ');
  });

  it('F-15 finds an event that is missing from the log', async () => {
    const report = await checkWith(
      `UPDATE "events" SET "seq" = "seq" + 1000000 WHERE "topicId" = ${LOBBY} AND "seq" = 5`,
      `UPDATE "events" SET "seq" = "seq" - 1000000 WHERE "topicId" = ${LOBBY} AND "seq" > 1000000`,
    );
    expect(report.ok).toBe(false);
    expect(report.problems.join('\n')).toContain('channel:lobby: expected sequence 5, found 6');
  });
});

describe('the end of a test', () => {
  it.each(DAEMON_ENGINES)(
    'F-15 finds on $name what the test changed in the tables, unless the check is switched off',
    async (engine) => {
      for (const checkAtEnd of [true, false]) {
        const directory = await engine.newDirectory();
        const daemon = await directory.start({ checkAtEnd });
        await callerOf(daemon.url, daemon.token).post('/v1/channels', { title: 'Lobby' });
        await directory.query('UPDATE "channels" SET "memberCount" = 7');
        const end = directory.discard();
        if (checkAtEnd) await expect(end).rejects.toThrow('the store is damaged');
        else await end;
        expect(existsSync(directory.home)).toBe(false);
        expect(await daemon.exited()).toBe(null);
      }
    },
  );
});
