export { appendEvent } from './engines/append-event.js';
export { call, type CallAnswer, type CallOptions } from './daemon/call.js';
export {
  cleanEnvironment,
  PROGRAM,
  startDaemon,
  StartFailure,
  type StartOptions,
  type TestDaemon,
} from './daemon/start-daemon.js';
export { until } from './time/until.js';
export {
  STORE_ENGINES,
  type StoreEngine,
  type StorePlace,
  type StorePlaceOptions,
} from './engines/store-engines.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.js';
export { type FreshDatabase, freshDatabase } from './postgres/fresh-database.js';
