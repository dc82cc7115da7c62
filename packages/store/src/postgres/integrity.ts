import type pg from 'pg';

/** Every topic must contain every event between its floor and its head. */
const GAPS = `
  SELECT t."name", t."floor", count(e."seq") AS "events", max(e."seq") AS "last"
  FROM "topics" t JOIN "events" e ON e."topicId" = t."id" AND e."seq" > t."floor"
  GROUP BY t."id"
  HAVING count(e."seq") <> max(e."seq") - t."floor"
  ORDER BY t."id" LIMIT 100`;

const ORPHANS = `
  SELECT e."topicId", count(*) AS "events" FROM "events" e
  WHERE NOT EXISTS (SELECT 1 FROM "topics" t WHERE t."id" = e."topicId")
  GROUP BY e."topicId" ORDER BY e."topicId" LIMIT 100`;

const CHECKABLE = `
  SELECT c.oid::bigint AS "id", c.relname AS "name"
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
  WHERE a.amname = 'btree' AND i.indisvalid AND c.relnamespace = current_schema()::regnamespace
    AND has_function_privilege(to_regprocedure('bt_index_check(regclass)'), 'EXECUTE')
  ORDER BY c.relname`;

/** Checks that sequences have no gaps and, if the amcheck extension is installed, the trees of the indexes. */
export async function findPostgresProblems(client: pg.Client): Promise<string[]> {
  return [...(await gaps(client)), ...(await orphans(client)), ...(await brokenIndexes(client))];
}

async function gaps(client: pg.Client): Promise<string[]> {
  type Gap = { name: string; floor: number; events: number; last: number };
  const { rows } = await client.query<Gap>(GAPS);
  return rows.map(
    ({ name, floor, events, last }) =>
      `topic ${name} should hold every event from ${String(floor + 1)} to ${String(last)}, and holds ${String(events)} of them`,
  );
}

async function orphans(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ topicId: number; events: number }>(ORPHANS);
  return rows.map(
    (row) => `${String(row.events)} events belong to no topic (${String(row.topicId)})`,
  );
}

async function brokenIndexes(client: pg.Client): Promise<string[]> {
  const problems: string[] = [];
  const { rows } = await client.query<{ id: number; name: string }>(CHECKABLE);
  for (const { id, name } of rows) {
    try {
      await client.query('SELECT bt_index_check($1::oid::regclass)', [id]);
    } catch (error) {
      problems.push(`index ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return problems;
}
