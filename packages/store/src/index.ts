export { DataLock, type HolderNote, readHolderNote } from './files/data-lock.js';
export { openPostgresSearchIndex, openPostgresStore } from './open-postgres.js';
export type { PostgresStore, PostgresStoreOptions } from './postgres/postgres-store.js';
export type { Migration } from './schema/migration.js';
export { SCHEMA_VERSION } from './schema/migrations.js';
export type { SearchIndex, SearchMatch, SearchRequest } from './search/search-index.js';
export { openSqliteSearchIndex, SqliteSearchIndex } from './search/sqlite-search-index.js';
export { ThreadedSearchIndex } from './search/threaded-search-index.js';
export type { Json } from './sql/json.js';
export type { SqlValue, Statement, Tx } from './sql/statement.js';
export { oneByOne, together } from './sql/together.js';
export type { Verb } from './sql/verb.js';
export { sqliteCodeOf } from './sqlite/binding/code.js';
export type { SqliteDatabase, SqliteStatement } from './sqlite/binding/database.js';
export { openSqlite, openSqliteImage, sqliteBindingName } from './sqlite/binding/open.js';
export { isSafeSqlite, OLDEST_SAFE_SQLITE } from './sqlite/binding/versions.js';
export { openScratchStore, type ScratchStore } from './sqlite/scratch-store.js';
export { openSqliteStore, SqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.js';
export { inTransaction } from './sqlite/transaction.js';
export { sqliteVersion } from './sqlite/version.js';
export type { Store, TransactOptions } from './store.js';
export * from './verbs/access.js';
export * from './verbs/agents.js';
export * from './verbs/approvals.js';
export * from './verbs/assets.js';
export * from './verbs/boards.js';
export * from './verbs/channels.js';
export * from './verbs/cursors.js';
export * from './verbs/dreams.js';
export * from './verbs/dump.js';
export * from './verbs/erasures.js';
export * from './verbs/events.js';
export * from './verbs/idempotency.js';
export * from './verbs/inbox.js';
export * from './verbs/leases.js';
export * from './verbs/members.js';
export * from './verbs/memories.js';
export * from './verbs/messages.js';
export * from './verbs/observations.js';
export * from './verbs/ownership.js';
export * from './verbs/project-tasks.js';
export * from './verbs/projects.js';
export * from './verbs/reactions.js';
export * from './verbs/runs.js';
export * from './verbs/schedules.js';
export * from './verbs/sessions.js';
export * from './verbs/stimuli.js';
export * from './verbs/tasks.js';
export * from './verbs/thread-work.js';
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
} from './verbs/topics.js';
export * from './verbs/turns.js';
export * from './verbs/usage.js';
