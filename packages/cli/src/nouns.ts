/** The commands of each noun: names, options and help. What they do is loaded when one of them runs. */

export { agentCommands } from './program/agents.js';
export { channelCommands } from './program/channels.js';
export { conversationCommands } from './program/conversation.js';
export { daemonCommands } from './program/daemon.js';
export { memoryCommands } from './program/memory.js';
export { observationCommands } from './program/observations.js';
export { projectCommands } from './program/projects.js';
export { scheduleCommands } from './program/schedules.js';
export { sessionCommands } from './program/sessions.js';
export { stimulusCommands } from './program/stimuli.js';
export { taskCommands } from './program/tasks.js';
export { tokenCommands } from './program/tokens.js';
