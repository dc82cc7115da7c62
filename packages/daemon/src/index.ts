export { DiskAssetFiles } from './assets/asset-files.js';
export { checkSqlite } from './check-sqlite.js';
export { checkConfig, effectiveConfig } from './config/load-config.js';
export { configJsonSchema } from './config/schema.js';
export { compileCheck } from './http/validation.js';
export { createIds } from './ports/ids.js';
export { secrets } from './ports/secrets.js';
export { type RunOptions, runDaemon } from './run-daemon.js';
export { VERSION } from './version.js';
