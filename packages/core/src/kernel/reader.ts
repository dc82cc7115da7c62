import type { StreamFrame } from '@stoa/protocol';
import type { LogEntry } from './entry.js';

export type TextChunk = Extract<StreamFrame, { type: 'text_chunk' }>;
/** Frames outside of the log: they have no sequence and are not stored. */
export type Ephemeral =
  | TextChunk
  | Extract<StreamFrame, { type: 'draft' }>
  | Extract<StreamFrame, { type: 'draft_ended' }>;
type GapReason = Extract<StreamFrame, { type: 'gap' }>['reason'];
export type CutOffReason = Extract<
  Extract<StreamFrame, { type: 'closing' }>['reason'],
  'slow_reader' | 'unavailable'
>;

/** One connected client: a WebSocket, an event stream or a simulated reader. */
export interface Reader {
  /** Takes an encoded event. Must not block and must not throw. */
  event(entry: LogEntry, encoded: string): void;
  /** Takes text that is still being written. Must not block and must not throw. */
  chunk(chunk: Ephemeral): void;
  /** Events after `after` are missing; the next event has the sequence `oldest` or a later one. */
  gap(topic: string, after: number, oldest: number, reason: GapReason): void;
  /** Ends the connection: the client is too slow, or the log cannot be read. */
  cutOff(reason: CutOffReason): void;
  /** Bytes that the client has not received yet. */
  pendingBytes(): number;
  /** Resolves when the client can receive more; rejects or stays pending when the connection is closed. */
  drained(): Promise<void>;
}

/** A reader with more pending bytes counts as too slow. */
export const READER_LIMIT_BYTES = 1024 * 1024;
