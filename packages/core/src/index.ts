export { OWNER_ID, type Presented } from './access/credentials.js';
export { assertMayCall, callerClass } from './access/rules.js';
export type { SessionToken } from './access/session-tokens.js';
export type { AgentFile, AgentFiles } from './agents/agents.js';
export type { StartedProgram } from './agents/started-programs.js';
export { agentFor } from './agents/withheld-values.js';
export type { ReadyAgent, Workspaces } from './agents/workspaces.js';
export type { NewApproval } from './approvals/ask.js';
export { type Core, type CorePorts, createCore, type RuntimePorts } from './create-core.js';
export type { Extracted, ExtractionRequest, Extractor } from './dreams/after-runs.js';
export type { DraftFolder } from './dreams/draft-folder.js';
export type { DreamOutcome } from './dreams/dream-end.js';
export type { Dreamer, DreamWork } from './dreams/dreamer.js';
export { idleRuntime } from './idle-runtime.js';
export { encodeEntry, type LogEntry, parseEntry } from './kernel/entry.js';
export type { Diagnose, Retention } from './kernel/kernel.js';
export type { Tick } from './kernel/module.js';
export { plainText } from './kernel/plain-text.js';
export type { TopicSlice } from './kernel/read-topic.js';
export {
  type CutOffReason,
  type Ephemeral,
  READER_LIMIT_BYTES,
  type Reader,
} from './kernel/reader.js';
export { stableJson } from './kernel/stable-json.js';
export type { StoreWait } from './kernel/store-wait.js';
export type { Subscription } from './kernel/subscription.js';
export type { SweepReport } from './kernel/sweep.js';
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
export type { AssetFiles, Calendar, Clock, Ids, Secrets, Timers } from './ports.js';
export type {
  NewRunMessage,
  NewRunSchedule,
  NewRunStimulus,
  RunAsset,
  SubAgentActions,
  TaskActions,
} from './run-actions/actions.js';
export type { Driver, DriverEnd, RunContext, RunSession } from './runs/driver.js';
export type {
  ChannelActions,
  ChannelAsset,
  RunActions,
  ThreadLocation,
  ThreadPart,
  ThreadRange,
} from './runs/run-actions.js';
export { isFenced, type RunJournal } from './runs/run-journal.js';
export type {
  InjectedContext,
  Transcript,
  TranscriptEntry,
  TranscriptInput,
} from './runs/transcript.js';
export type { TranscriptTail } from './runs/transcript-tail.js';
export type { NewSubAgent } from './subagents/launch-agent.js';
export type { SubAgents } from './subagents/sub-agents.js';
export type { ExecutorChange } from './tasks/change-task.js';
export type { NewTask } from './tasks/create-task.js';
export type { FileFate } from './tasks/file-fates.js';
export type {
  OutputPart,
  OutputRange,
  TaskExecutor,
  TaskKind,
  TaskMessage,
} from './tasks/kind.js';
export { LineFilter } from './tasks/monitor/line-filter.js';
export { monitorUpdateText } from './tasks/monitor/monitor-update.js';
export {
  DEFAULT_EVENTS,
  DEFAULT_IDLE_MS,
  MAX_EVENTS,
  MAX_IDLE_MS,
  type MonitorUpdate,
  WATCH_START,
  Watch,
  type WatchProgress,
  type WatchRules,
} from './tasks/monitor/watch.js';
export type { Settlement } from './tasks/settle-task.js';
export { endsInBackground } from './tasks/shell/ends-in-background.js';
export { monitorHint } from './tasks/shell/monitor-hint.js';
export { sleepRefusal } from './tasks/shell/sleep-guard.js';
export type { TaskRegistry, Tasks } from './tasks/tasks.js';
export { arbitrate } from './turns/arbitrate.js';
