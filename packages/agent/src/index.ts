export { Models } from './builtin/models.js';
export { channelTurn } from './channel-turn.js';
export { definitionProblem } from './definition-problem.js';
export { type AgentDrivers, createDrivers } from './drivers.js';
export { ENVELOPE_RULE, envelope, toolResultForModel } from './envelope.js';
export { McpServers } from './mcp/mcp-servers.js';
export { createExtractor } from './memory/extractor.js';
export { orAborted } from './pause.js';
export { GUIDE, GUIDE_ID } from './script/guide.js';
export { RESIDENTS, type Resident, WELCOME } from './script/residents.js';
export { readScriptFile } from './script/script-file.js';
export { createDreamer } from './tasks/dream/dreamer.js';
export { Monitors } from './tasks/monitor/monitors.js';
export { ShellTasks } from './tasks/shell/shell-tasks.js';
export { type BuiltinToolsOptions, builtinTools } from './tools/builtin-tools.js';
export { callDirectly } from './tools/call-directly.js';
export { cutText } from './tools/cut-text.js';
export { inputHash } from './tools/input-hash.js';
export { SESSION_TOOLS } from './tools/session-tools.js';
export { isRunningCommand, removeOrphanedFiles } from './tools/shell/orphaned-commands.js';
export { Sandbox } from './tools/shell/sandbox.js';
export { SystemPrograms } from './tools/shell/system-programs.js';
export {
  ReadChannelThreadInput,
  readChannelThread,
  threadLocation,
} from './tools/talk/read-channel-thread.js';
export { threadText } from './tools/talk/thread-text.js';
export { ToolFailure } from './tools/tool-failure.js';
export { ToolRunner } from './tools/tool-runner.js';
export { type BoundedText, fileNames, readPlainFile, WorkspaceFiles } from './workspace-files.js';
