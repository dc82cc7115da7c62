export { DataLock, type HolderNote, readHolderNote } from './files/data-lock.js';
export { openPostgresSearchIndex, openPostgresStore } from './open-postgres.js';
export type { PostgresStore, PostgresStoreOptions } from './postgres/postgres-store.js';
export type { Migration } from './schema/migration.js';
export { SCHEMA_VERSION } from './schema/migrations.js';
export type { SearchIndex, SearchMatch, SearchRequest } from './search/search-index.js';
export { openSqliteSearchIndex, SqliteSearchIndex } from './search/sqlite-search-index.js';
export { ThreadedSearchIndex } from './search/threaded-search-index.js';
export type { BoundStatement, Json, SqlValue, Statement, Tx } from './sql/statement.js';
export { oneByOne, together } from './sql/together.js';
export { sqliteCodeOf } from './sqlite/binding/code.js';
export type { SqliteDatabase, SqliteStatement } from './sqlite/binding/database.js';
export { openSqlite, openSqliteImage, sqliteBindingName } from './sqlite/binding/open.js';
export { isSafeSqlite, OLDEST_SAFE_SQLITE } from './sqlite/binding/versions.js';
export { openScratchStore, type ScratchStore } from './sqlite/scratch-store.js';
export { openSqliteStore, SqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.js';
export { inTransaction } from './sqlite/transaction.js';
export { sqliteVersion } from './sqlite/version.js';
export * from './statements/access.js';
export * from './statements/agents.js';
export * from './statements/approvals.js';
export * from './statements/assets.js';
export * from './statements/boards.js';
export * from './statements/channels.js';
export * from './statements/cursors.js';
export * from './statements/dreams.js';
export * from './statements/dump.js';
export * from './statements/erasures.js';
export * from './statements/events.js';
export * from './statements/idempotency.js';
export * from './statements/inbox.js';
export * from './statements/leases.js';
export * from './statements/members.js';
export * from './statements/memories.js';
export * from './statements/messages.js';
export * from './statements/observations.js';
export * from './statements/ownership.js';
export * from './statements/project-tasks.js';
export * from './statements/projects.js';
export * from './statements/reactions.js';
export * from './statements/runs.js';
export * from './statements/schedules.js';
export * from './statements/sessions.js';
export * from './statements/stimuli.js';
export * from './statements/tasks.js';
export * from './statements/thread-work.js';
export {
  beginTopic,
  findTopic,
  findTopicById,
  insertTopic,
  insertTopicWithId,
  listOverlongTopics,
  listTopicsAfter,
  openTopicEnd,
  raiseFloor,
  type TopicRow,
} from './statements/topics.js';
export * from './statements/turns.js';
export * from './statements/usage.js';
export type { Store, TransactOptions } from './store.js';
