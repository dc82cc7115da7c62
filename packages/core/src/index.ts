export { OWNER_ID, type Presented } from './access/credentials.js';
export { assertMayCall, callerClass } from './access/rules.js';
export type { SessionToken } from './access/session-tokens.js';
export type { AgentFile, AgentFiles } from './agents/agents.js';
export type { StartedProgram } from './agents/started-programs.js';
export { agentFor } from './agents/withheld-values.js';
export { stableJson } from './channels/stable-json.js';
export {
  type CommitObserver,
  type Core,
  type CorePorts,
  createCore,
  type RuntimePorts,
} from './create-core.js';
export { idleRuntime } from './idle-runtime.js';
export { encodeEntry, type LogEntry, parseEntry } from './log/entry.js';
export type { TopicSlice } from './log/read-topic.js';
export type { StoreWait } from './log/store-wait.js';
export type { Extracted, ExtractionRequest, Extractor } from './memory/after-runs.js';
export type { FoundFile, MemoryFiles, MemoryFolder } from './memory/memory-files.js';
export type { RecalledAll } from './memory/recall-all.js';
export { type Budget as PatternBudget, Pattern } from './patterns/pattern.js';
export { PatternProblem } from './patterns/pattern-syntax.js';
export {
  type Decision as PermissionDecision,
  decide,
  type Policy as PermissionPolicy,
} from './permissions/decide.js';
export { PROTECTED_NAMES, READ_ONLY_IN_HOME, START_FILES } from './permissions/protected-paths.js';
export type { ToolRequest as PermissionRequest } from './permissions/request.js';
export { plainText } from './plain-text.js';
export type { AssetFiles, Calendar, Clock, Ids, Secrets, Timers } from './ports.js';
export type {
  ChannelActions,
  ChannelAsset,
  NewRunMessage,
  NewRunSchedule,
  NewRunStimulus,
  RunActions,
  RunAsset,
  SubAgentActions,
  TaskActions,
  ThreadLocation,
  ThreadPart,
  ThreadRange,
} from './runs/run-actions.js';
export type { ReadyAgent, Workspaces } from './sessions/context.js';
export type { Driver, DriverEnd, RunContext, RunSession } from './sessions/driver.js';
export { isFenced, type NewApproval, type RunJournal } from './sessions/run-journal.js';
export type {
  ChannelContextTold,
  Transcript,
  TranscriptEntry,
  TranscriptInput,
} from './sessions/transcript.js';
export type { TranscriptTail } from './sessions/transcript-tail.js';
export type { NewSubAgent } from './tasks/agent/launch-agent.js';
export type { SubAgents } from './tasks/agent/sub-agents.js';
export type { ExecutorChange } from './tasks/change-task.js';
export type { NewTask } from './tasks/create-task.js';
export type { DraftFolder } from './tasks/dream/draft-folder.js';
export type { DreamOutcome } from './tasks/dream/dream-end.js';
export type { Dreamer, DreamWork } from './tasks/dream/dreamer.js';
export type { FileFate } from './tasks/file-fates.js';
export type {
  OutputPart,
  OutputRange,
  TaskExecutor,
  TaskKind,
  TaskMessage,
} from './tasks/kind.js';
export { LineFilter } from './tasks/monitor/line-filter.js';
export { tidingsText } from './tasks/monitor/tidings-text.js';
export {
  EVENTS_DEFAULT,
  EVENTS_MOST,
  IDLE_MS_DEFAULT,
  IDLE_MS_MOST,
  type Tidings,
  WATCH_BEGINS,
  Watch,
  type WatchProgress,
  type WatchRules,
} from './tasks/monitor/watch.js';
export type { Settlement } from './tasks/settle-task.js';
export { endsInBackground } from './tasks/shell/ends-in-background.js';
export { monitorHint } from './tasks/shell/monitor-hint.js';
export { sleepRefusal } from './tasks/shell/sleep-guard.js';
export type { TaskRegistry, Tasks } from './tasks/tasks.js';
export {
  type CutOffReason,
  type Ephemeral,
  READER_LIMIT_BYTES,
  type Reader,
} from './topics/reader.js';
export type { Subscription } from './topics/subscription.js';
export { arbitrate } from './turns/arbitrate.js';
export type { Retention, SweepReport } from './upkeep/sweep.js';
