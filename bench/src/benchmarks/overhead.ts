import { join } from 'node:path';
import { assertMayCall } from '@stoa/core';
import { compileCheck } from '@stoa/daemon';
import { PostMessage, type Principal, ROUTES } from '@stoa/protocol';
import { openSqlite, type SqliteDatabase, SqliteStore } from '@stoa/store';
import type { Benchmark } from '../benchmark.js';
import { MESSAGE_TEXT } from '../load/message-text.js';
import { share } from '../load/share.js';
import { alternate, perSecond } from '../measure/alternate.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { openDirectory } from '../world/directory.js';
import { openChannel, openDomain } from '../world/domain.js';
import type { Scope } from '../world/scope.js';

const PARTS = [
  { part: '1 poster', posters: 1, postsEach: 96 },
  { part: '32 posters', posters: 32, postsEach: 3 },
];

const CHANNEL = 'bench';

export const overhead: Benchmark = {
  description:
    'a post (check, authorise, log, project), not synced ÷ a bare insert, as many per commit',
  async run(form, scope) {
    const home = openDirectory(scope);
    const database = openUnsynced(scope, join(home, 'stoa.db'));
    const store = new SqliteStore(database, { durability: 'relaxed' });
    database.pragma('synchronous = OFF');
    const { core } = openDomain(scope, { home, store, search: 'none' });
    const people = await openChannel(core, CHANNEL, 32);
    const { access } = ROUTES.postMessage;
    const check = compileCheck(PostMessage, 'body');
    const post = (poster: number): Promise<unknown> => {
      const by = people[poster] as Principal;
      const request = { text: MESSAGE_TEXT };
      assertMayCall(access, by);
      check(request);
      return core.channels.post(by, CHANNEL, request);
    };
    await post(0);
    const insert = openBareInsert(scope, join(home, 'bare.db'), database);
    const extent =
      form === 'short'
        ? { pairs: 100, seconds: 4, warmUp: 30 }
        : { pairs: 1000, seconds: 30, warmUp: 50 };

    const figures: Figure[] = [];
    for (const { part, posters, postsEach } of PARTS) {
      const operations = posters * postsEach;
      const ours = perSecond(operations, () => share(posters, postsEach, post));
      const peer = perSecond(operations, () => {
        for (let i = 0; i < postsEach; i++) insert(posters);
      });
      const pairs = await alternate(ours, peer, extent);
      figures.push(figureOf({ bench: 'overhead', part, unit: 'ops/s', goal: '>=0.25' }, pairs));
    }
    return figures;
  },
};

function openUnsynced(scope: Scope, path: string): SqliteDatabase {
  const database = openSqlite(path);
  scope.defer(() => database.close());
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  return database;
}

/**
 * The same row into the same table, by the shortest way there is: one prepared statement. So many as
 * there are posters share a commit, as their posts do.
 */
function openBareInsert(
  scope: Scope,
  path: string,
  source: SqliteDatabase,
): (rows: number) => void {
  const { sql } = source.prepare(`SELECT sql FROM sqlite_master WHERE name = 'events'`).get() as {
    sql: string;
  };
  const row = source.prepare(`SELECT * FROM "events" WHERE "type" = 'message_posted'`).get() as {
    seq: number;
  };
  const database = openUnsynced(scope, path);
  database.exec(sql);
  const names = Object.keys(row);
  const values = Object.values(row);
  const seq = names.indexOf('seq');
  const statement = database.prepare(
    `INSERT INTO "events" (${names.map((name) => `"${name}"`).join(', ')})
     VALUES (${names.map(() => '?').join(', ')})`,
  );
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  return (rows) => {
    if (rows > 1) begin.run();
    for (let i = 0; i < rows; i++) {
      values[seq] = (values[seq] ?? 0) + 1;
      statement.run(...values);
    }
    if (rows > 1) commit.run();
  };
}
