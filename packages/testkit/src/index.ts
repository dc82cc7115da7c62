export { ChannelLog, type LoggedMessage } from './channels/channel-log.js';
export {
  type CampaignOptions,
  type CampaignReport,
  runKillCampaign,
} from './crash/kill-campaign.js';
export { readSyncTrace, type SyncTrace } from './crash/sync-trace.js';
export { type CallAnswer, type CallOptions, call } from './daemon/call.js';
export { type Caller, callerOf, newPerson } from './daemon/caller.js';
export {
  type Company,
  channelPath,
  codeOf,
  createChannel,
  headOf,
  listMessages,
  logOf,
  newChannel,
  openCompany,
  postMessage,
  refusalOf,
  textsOf,
} from './daemon/company.js';
export { DAEMON_ENGINES, type DaemonEngine, type DaemonPlace } from './daemon/daemon-engines.js';
export { withDatabaseFile } from './daemon/database-file.js';
export {
  cleanEnvironment,
  PROGRAM,
  StartFailure,
  type StartOptions,
  startDaemon,
  type TestDaemon,
} from './daemon/start-daemon.js';
export { appendEvent } from './engines/append-event.js';
export {
  SEARCH_ENGINES,
  type SearchEngine,
  type SearchPlace,
  type TestedSearchIndex,
} from './engines/search-engines.js';
export { buildSearchThread } from './engines/search-thread-file.js';
export {
  STORE_ENGINES,
  type StoreEngine,
  type StorePlace,
  type StorePlaceOptions,
} from './engines/store-engines.js';
export { EventStream, type EventStreamOptions, type ServerSentEvent } from './live/event-stream.js';
export { LiveSocket, type SocketOptions, UpgradeRefused } from './live/live-socket.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.js';
export { type FlakyLink, openFlakyLink } from './postgres/flaky-link.js';
export { type FreshDatabase, freshDatabase } from './postgres/fresh-database.js';
export { SimulationFailure } from './simulation/failure.js';
export { type SimulationReport, simulate } from './simulation/simulate.js';
export { until } from './time/until.js';
