import pg from 'pg';

/** Runs one statement past the program: to spoil, to inspect, to prepare. */
export async function queryDatabase(
  url: string,
  statement: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
