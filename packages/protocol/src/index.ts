export * from './api/openapi.js';
export * from './api/route-schemas.js';
export * from './constants.js';
export * from './errors/stoa-error.js';
export * from './json-schema.js';
export * from './schemas.js';
