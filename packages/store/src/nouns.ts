/** What each noun has in the database: its migrations, its statements and its tables. */

export { foundation as foundationMigration } from './schema/0001-foundation.js';
export { runtime as runtimeMigration } from './schema/0002-runtime.js';
export { turns as turnsMigration } from './schema/0003-turns.js';
export { conversations as conversationsMigration } from './schema/0004-conversations.js';
export { tasks as tasksMigration } from './schema/0005-tasks.js';
export { trust as trustMigration } from './schema/0006-trust.js';
export { plainNames as plainNamesMigration } from './schema/0007-plain-names.js';
export * from './statements/access.js';
export * from './statements/agents.js';
export * from './statements/approvals.js';
export * from './statements/assets.js';
export * from './statements/boards.js';
export * from './statements/channels.js';
export * from './statements/cursors.js';
export * from './statements/dreams.js';
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
