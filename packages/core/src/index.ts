export { OWNER_ID } from './access/credentials.js';
export { assertMayCall, callerClass } from './access/rules.js';
export { type Core, type CorePorts, createCore } from './create-core.js';
export { encodeEntry, type LogEntry, parseEntry } from './log/entry.js';
export type { TopicSlice } from './log/read-topic.js';
export type { AssetFiles, Clock, Ids, Secrets } from './ports.js';
export { type CutOffReason, READER_LIMIT_BYTES, type Reader } from './topics/reader.js';
export type { Subscription } from './topics/subscription.js';
export type { Retention, SweepReport } from './upkeep/sweep.js';
