import { createChannelStimulus, createSchedule } from './initiative-tools.js';
import { forget, recall, remember } from './memory-tools.js';
import { askUser, emitOutput, passTurn } from './talk/answer-tools.js';
import { readChannelAsset } from './talk/read-channel-asset.js';
import { sendMessage } from './talk/send-message.js';
import { setChannelReaction } from './talk/set-channel-reaction.js';
import { agentTool } from './tasks/agent.js';
import { taskOutput, taskStatus, taskStop } from './tasks/task-tools.js';
import type { Tool } from './tool.js';

/** The tools of every session, with every driver: they act only through the run. Agent programs call them over MCP. */
export const SESSION_TOOLS: readonly Tool[] = [
  askUser,
  emitOutput,
  passTurn,
  sendMessage,
  setChannelReaction,
  readChannelAsset,
  remember,
  recall,
  forget,
  createChannelStimulus,
  createSchedule,
  agentTool,
  taskStatus,
  taskOutput,
  taskStop,
];
