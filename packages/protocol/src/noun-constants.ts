/** The parts of each noun that need no schemas: its routes and its enumerations. */

export * from './api/routes/access.js';
export * from './api/routes/agents.js';
export * from './api/routes/assets.js';
export * from './api/routes/boards.js';
export * from './api/routes/browser.js';
export * from './api/routes/channels.js';
export * from './api/routes/live.js';
export * from './api/routes/mcp.js';
export * from './api/routes/members.js';
export * from './api/routes/memory.js';
export * from './api/routes/messages.js';
export * from './api/routes/observations.js';
export * from './api/routes/operations.js';
export * from './api/routes/projects.js';
export * from './api/routes/reading.js';
export * from './api/routes/sessions.js';
export * from './api/routes/stimuli.js';
export * from './api/routes/tasks.js';
export * from './api/routes/turns.js';
