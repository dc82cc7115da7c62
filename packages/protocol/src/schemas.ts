/** Every schema of the contract: routes and OpenAPI refer to them by these names. */
export * from './api/lists.js';
export * from './api/live.js';
export * from './events/event.js';
export * from './events/topic.js';
export * from './nouns.js';
