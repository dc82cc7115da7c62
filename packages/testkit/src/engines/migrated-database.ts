import { openPostgresStore } from '@stoa/store';
import { type FreshDatabase, freshDatabase } from '../postgres/fresh-database.js';

let template: Promise<string> | undefined;

/** A database with the tables of today: copied from one, which is faster than making them again. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  template ??= makeTemplate();
  return freshDatabase(undefined, await template);
}

/** Lives as long as the server of the test run. */
async function makeTemplate(): Promise<string> {
  const { name, url } = await freshDatabase();
  const store = await openPostgresStore({ url, durability: 'relaxed' });
  await store.close();
  return name;
}
