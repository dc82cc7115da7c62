/** What can be used without loading schemas, as `@stoa/protocol/constants`: for commands, browsers and clients. */
export * from './api/access-table.js';
export * from './api/route.js';
export * from './api/routes.js';
export * from './enumerations.js';
export * from './errors/registry.js';
export * from './item-text.js';
export * from './limits.js';
export * from './member-tag.js';
export * from './noun-constants.js';
export * from './proof-text.js';
