export { ChannelLog, type LoggedMessage } from './channels/channel-log.js';
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
export { type FlakyLink, openFlakyLink } from './postgres/flaky-link.js';
export { callerOf, type Caller, newPerson } from './daemon/caller.js';
export { DAEMON_ENGINES, type DaemonEngine, type DaemonPlace } from './daemon/daemon-engines.js';
export { withDatabaseFile } from './daemon/database-file.js';
export { EventStream, type EventStreamOptions, type ServerSentEvent } from './live/event-stream.js';
export { LiveSocket, type SocketOptions, UpgradeRefused } from './live/live-socket.js';
