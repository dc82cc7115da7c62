export { AgentFixture, type AgentFixtureOptions, type AgentParts } from './acp/agent-fixture.js';
export {
  FAKE_AGENT,
  type FakeAgentEntry,
  type FakeAgentOptions,
  readAgentLog,
} from './acp/fake-agent.js';
export { processesOf, processesWith, sendSignal } from './acp/living-processes.js';
export {
  installProgram,
  PROGRAM_NAMES,
  type ProgramName,
  packageOf,
} from './acp/programs.js';
export { axeViolations } from './browser/axe-violations.js';
export { findBrowser, NO_BROWSER } from './browser/find-browser.js';
export { confirmCode, openLoginPage, PageLogin, ticketIn } from './browser/page-login.js';
export {
  confirmLogin,
  type OpenOptions,
  type Page,
  startWithBrowser,
  TestBrowser,
} from './browser/test-browser.js';
export { ChannelLog, type LoggedMessage } from './channels/channel-log.js';
export { fillChannels } from './channels/fill-channels.js';
export {
  type CampaignOptions,
  type CampaignReport,
  runKillCampaign,
} from './crash/kill-campaign.js';
export { readSyncTrace, type SyncTrace } from './crash/sync-trace.js';
export { type CallAnswer, type CallOptions, call } from './daemon/call.js';
export { type Caller, callerOf, newPerson } from './daemon/caller.js';
export { DAEMON_ENGINES, type DaemonEngine, type TestDirectory } from './daemon/daemon-engines.js';
export {
  channelPath,
  codeOf,
  createChannel,
  type DaemonWithPeople,
  headOf,
  listMessages,
  logOf,
  newChannel,
  postMessage,
  refusalOf,
  startWithPeople,
  textsOf,
} from './daemon/daemon-with-people.js';
export { withDatabaseFile } from './daemon/database-file.js';
export { ForeignServer, type Received } from './daemon/foreign-server.js';
export {
  answerApproval,
  approvalsOf,
  askSession,
  endedRun,
  openSession,
  pendingApproval,
  runsOf,
  submit,
} from './daemon/session-calls.js';
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
  type SearchDatabase,
  type SearchEngine,
  type TestedSearchIndex,
} from './engines/search-engines.js';
export { buildSearchThread } from './engines/search-thread-file.js';
export {
  STORE_ENGINES,
  type StoreEngine,
  type TestDatabase,
  type TestDatabaseOptions,
} from './engines/store-engines.js';
export { HOSTILE_FRAGMENTS, HOSTILE_TEXTS, type HostileText } from './hostile/fragments.js';
export { type Reader, type SlowReading, slowReadings } from './hostile/growth.js';
export { EventStream, type EventStreamOptions, type ServerSentEvent } from './live/event-stream.js';
export { LiveSocket, type SocketOptions, UpgradeRefused } from './live/live-socket.js';
export { McpHttpServer } from './mcp/mcp-http-server.js';
export { McpScript } from './mcp/mcp-script.js';
export type { SeenCall, SeenResult, Turn } from './models/conversation.js';
export { FakeModel, type FakeModelOptions, type Lookup } from './models/fake-model.js';
export * as fault from './models/faults.js';
export { type Gate, gate } from './models/gate.js';
export type { Json, JsonObject } from './models/json.js';
export {
  type Finish,
  type MessageOptions,
  type MessageReply,
  type ModelUsage,
  type RefusalReply,
  type Reply,
  reply,
  type ScriptedCall,
  say,
  toolCall,
  useTools,
} from './models/reply.js';
export type { ModelRequest, RequestOutcome } from './models/request.js';
export {
  type Answer,
  always,
  type Matcher,
  type ModelScript,
  type RequestPattern,
  type ScriptStep,
  when,
} from './models/script.js';
export type { WireName } from './models/wire.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.js';
export { type FlakyLink, openFlakyLink } from './postgres/flaky-link.js';
export { type FreshDatabase, freshDatabase } from './postgres/fresh-database.js';
export { type InstalledProgram, installNpmProgram } from './programs/npm-program.js';
export { AgentSession, definitionOf, outputOf } from './runtime/agent-session.js';
export { DirectedDriver, type DirectedRun } from './runtime/directed-driver.js';
export { dyingRun } from './runtime/dying-run.js';
export { lateExecutor } from './runtime/late-executor.js';
export {
  CANARY_KEY,
  type DriverParts,
  ModelFixture,
  type ModelFixtureOptions,
  QuickTimers,
} from './runtime/model-fixture.js';
export { OWNER, type RuntimeDaemon, RuntimeWorld } from './runtime/runtime-world.js';
export { type TracedAnswer, type TracedTool, TracedTools } from './runtime/traced-tools.js';
export { WorkspaceRun, type WorkspaceRunOptions } from './runtime/workspace-run.js';
export { type RuntimeReport, simulateRuntime } from './runtime-simulation/simulate-runtime.js';
export { SimulationFailure } from './simulation/failure.js';
export { type SimulationReport, simulate } from './simulation/simulate.js';
export { until } from './time/until.js';
export { simulateTurns, type TurnReport } from './turn-simulation/simulate-turns.js';
export { VirtualClock } from './virtual/clock.js';
export { VirtualMemoryFiles } from './virtual/memory-files.js';
export { SeededRandom } from './virtual/random.js';
export { VirtualTimers } from './virtual/timers.js';
