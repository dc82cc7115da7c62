import type { Tool } from '../tool.js';
import { createAgentTool } from './agent.js';
import type { TaskActs } from './task-acts.js';
import { createTaskOutput } from './task-output.js';
import { createTaskStatus } from './task-status.js';
import { createTaskStop } from './task-stop.js';

/** How an agent has others work beside it, and how it looks after what goes on in the background. */
export function taskTools(tasks: TaskActs): Tool[] {
  return [
    createAgentTool(tasks),
    createTaskStatus(tasks),
    createTaskOutput(tasks),
    createTaskStop(tasks),
  ];
}
