import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqlite } from '@stoa/store';
import type { Scope } from './scope.js';

const POLL_MS = 2;
const LIMIT_MS = 30_000;

/**
 * Waits until the search thread of a daemon has indexed all there is, so that it does not work while
 * the peer is measured. The daemon has no route for this: its two files are read.
 */
export function openSettledSearch(scope: Scope, home: string): () => Promise<void> {
  let behind: (() => boolean) | undefined;
  return async () => {
    const deadline = performance.now() + LIMIT_MS;
    behind ??= await openComparison(scope, home);
    while (behind()) {
      if (performance.now() > deadline) throw new Error('the search index does not catch up');
      await delay(POLL_MS);
    }
  };
}

async function openComparison(scope: Scope, home: string): Promise<() => boolean> {
  const search = join(home, 'search.db');
  const deadline = performance.now() + LIMIT_MS;
  const wait = async () => {
    if (performance.now() > deadline) throw new Error('the search thread does not start');
    await delay(POLL_MS);
  };
  while (!existsSync(search)) await wait();
  const database = openSqlite(join(home, 'stoa.db'), { readonly: true });
  scope.defer(() => database.close());
  database.prepare(`ATTACH ? AS "search"`).run(search);
  // The search thread starts after the daemon: its file is there a moment before its tables are.
  const made = database.prepare(
    `SELECT 1 FROM "search"."sqlite_master" WHERE "name" = 'watermarks'`,
  );
  while (made.get() === undefined) await wait();
  const lagging = database.prepare(
    `SELECT 1 FROM "topics" t WHERE t."name" LIKE 'channel:%'
         AND coalesce((SELECT max(e."seq") FROM "events" e WHERE e."topicId" = t."id"), 0) >
             coalesce((SELECT w."seq" FROM "search"."watermarks" w WHERE w."topicId" = t."id"), 0)`,
  );
  return () => lagging.get() !== undefined;
}
