import { createChannelStimulus } from './initiative/create-channel-stimulus.js';
import { createSchedule } from './initiative/create-schedule.js';
import { forget } from './memory/forget.js';
import { recall } from './memory/recall.js';
import { remember } from './memory/remember.js';
import { askUser } from './talk/ask-user.js';
import { emitOutput } from './talk/emit-output.js';
import { passTurn } from './talk/pass-turn.js';
import { readChannelAsset } from './talk/read-channel-asset.js';
import { sendMessage } from './talk/send-message.js';
import { setChannelReaction } from './talk/set-channel-reaction.js';
import { agentTool } from './tasks/agent.js';
import { taskOutput } from './tasks/task-output.js';
import { taskStatus } from './tasks/task-status.js';
import { taskStop } from './tasks/task-stop.js';
import type { Tool } from './tool.js';

/**
 * The tools of every session, whichever driver runs it: they act through the run and need nothing else. Agent
 * programs call them over MCP.
 */
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
