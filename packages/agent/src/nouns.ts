/** The tools of each noun. They need only the run, so every driver offers them; agent programs call them over MCP. */
export { createChannelStimulus, createSchedule } from './tools/initiative-tools.js';
export { forget, recall, remember } from './tools/memory-tools.js';
export { askUser, emitOutput, passTurn } from './tools/talk/answer-tools.js';
export { readChannelAsset } from './tools/talk/read-channel-asset.js';
export { sendMessage } from './tools/talk/send-message.js';
export { setChannelReaction } from './tools/talk/set-channel-reaction.js';
export { agentTool } from './tools/tasks/agent.js';
export { taskOutput, taskStatus, taskStop } from './tools/tasks/task-tools.js';
