export {
  AcpDriver,
  type AcpDriverPorts,
} from './acp/acp-driver.js';
export { AcpFailure, type AcpFailureCode } from './acp/acp-failure.js';
export { type AgentProgram, agentProgram } from './acp/agent-program.js';
export type { McpAccess } from './acp/session-servers.js';
export type { AgentDriver } from './agent-driver.js';
export { RETRY_RULES, type RetryRules } from './builtin/ask-model.js';
export {
  BuiltinDriver,
  type BuiltinDriverPorts,
  type BuiltinDriverSettings,
  createBuiltinDriver,
} from './builtin/builtin-driver.js';
export { ModelFailure, type ModelFailureCode } from './builtin/model-failure.js';
export {
  type ChosenModel,
  type ModelSelection,
  Models,
  type ModelsPorts,
} from './builtin/models.js';
export type { CallResult, CallTools, RequestedCall, ToolDescription } from './call-tools.js';
export { channelTurn } from './channel-turn.js';
export { type DefinitionCheckPorts, definitionProblem } from './definition-problem.js';
export { type AgentDrivers, createDrivers, type DriverPorts } from './drivers.js';
export {
  ENVELOPE_RULE,
  envelope,
  type Outside,
  plainText,
  toolResultForModel,
} from './envelope.js';
export { McpServers, type McpServersOptions } from './mcp/mcp-servers.js';
export type { UpkeepPorts } from './memory/ask-once.js';
export { createExtractor } from './memory/extractor.js';
export { orAborted } from './pause.js';
export { GUIDE, GUIDE_ID } from './script/guide.js';
export { parseScript } from './script/parse-script.js';
export { RESIDENTS, type Resident, WELCOME } from './script/residents.js';
export { ScriptDriver, type ScriptDriverPorts } from './script/script-driver.js';
export { readScriptFile } from './script/script-file.js';
export { createDreamer } from './tasks/dream/dreamer.js';
export { Monitors, type MonitorsOptions } from './tasks/monitor/monitors.js';
export { readAbortReason } from './tasks/shell/abort-reason.js';
export { ShellTasks, type ShellTasksOptions } from './tasks/shell/shell-tasks.js';
export { type BuiltinToolsOptions, builtinTools } from './tools/builtin-tools.js';
export { callDirectly, type DirectCall } from './tools/call-directly.js';
export { cutText } from './tools/cut-text.js';
export { inputHash } from './tools/input-hash.js';
export { isInside, PathGuard, type PathGuardOptions, type Place } from './tools/paths.js';
export type { Decide } from './tools/permission.js';
export { SESSION_TOOLS } from './tools/session-tools.js';
export { adoptCommand } from './tools/shell/adopted-command.js';
export { childEnvironment } from './tools/shell/child-environment.js';
export { type CommandRequest, startCommand } from './tools/shell/command.js';
export {
  CommandFiles,
  type CommandIntent,
  type CommandState,
  type CommandStatus,
} from './tools/shell/command-files.js';
export { readOutput } from './tools/shell/command-output.js';
export {
  clearLeftCommands,
  type IsKeptTask,
  isRunningCommand,
} from './tools/shell/left-commands.js';
export type { CommandEnd, RunningCommand } from './tools/shell/running-command.js';
export { Sandbox, type SandboxOptions, type SandboxReport } from './tools/shell/sandbox.js';
export { SystemPrograms } from './tools/shell/system-programs.js';
export {
  ReadChannelThreadInput,
  readChannelThread,
  threadLocation,
} from './tools/talk/read-channel-thread.js';
export { threadText } from './tools/talk/thread-text.js';
export {
  type DecidedEnvironment,
  defineTool,
  type Subject,
  type Tool,
  type ToolEnvironment,
  type ToolOutput,
  type ToolQuestion,
} from './tools/tool.js';
export { ToolFailure } from './tools/tool-failure.js';
export {
  type ToolCall,
  type ToolCallResult,
  ToolRunner,
  type ToolRunnerOptions,
} from './tools/tool-runner.js';
export type { FetchPorts } from './tools/web/fetch-page.js';
export type { WebFetchOptions } from './tools/web/web-fetch.js';
export { type BoundedText, fileNames, readPlainFile, WorkspaceFiles } from './workspace-files.js';
