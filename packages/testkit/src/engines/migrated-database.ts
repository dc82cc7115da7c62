import { openPostgresStore } from '@stoa/store';
import { type FreshDatabase, freshDatabase } from '../postgres/fresh-database.js';

let template: Promise<string> | undefined;

/** A database with the current tables. It is copied, which is faster than running the migrations. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  template ??= makeTemplate();
  return freshDatabase(undefined, await template);
}

/** It is kept until the server of the test run ends. */
async function makeTemplate(): Promise<string> {
  const { name, url } = await freshDatabase();
  const store = await openPostgresStore({ url, durability: 'relaxed' });
  await store.close();
  return name;
}
