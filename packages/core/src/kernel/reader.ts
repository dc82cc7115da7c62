import type { StreamFrame } from '@stoa/protocol';
import type { LogEntry } from './entry.js';

export type TextChunk = Extract<StreamFrame, { type: 'text_chunk' }>;
/** What is told besides the log: not numbered, and not kept. */
export type Ephemeral =
  | TextChunk
  | Extract<StreamFrame, { type: 'draft' }>
  | Extract<StreamFrame, { type: 'draft_ended' }>;
type GapReason = Extract<StreamFrame, { type: 'gap' }>['reason'];
export type CutOffReason = Extract<
  Extract<StreamFrame, { type: 'closing' }>['reason'],
  'slow_reader' | 'unavailable'
>;

/** One connected client, as live delivery sees it: a WebSocket, an event stream, a simulated reader. */
export interface Reader {
  /** Takes an encoded event. Must not block and must not throw. */
  event(entry: LogEntry, encoded: string): void;
  /** Takes a piece of what is being written. Must not block and must not throw. */
  chunk(chunk: Ephemeral): void;
  /** What follows is not what comes next after `after`; the next event has the sequence `oldest` or a later one. */
  gap(topic: string, after: number, oldest: number, reason: GapReason): void;
  /** Ends the connection: its reader does not keep up, or the log cannot be read at the moment. */
  cutOff(reason: CutOffReason): void;
  /** Bytes that were handed over and not yet taken by the other side. */
  pendingBytes(): number;
  /** Resolves when there is room again; rejects or stays silent when the connection is gone. */
  drained(): Promise<void>;
}

/** What a reader may leave lying before it counts as too slow. */
export const READER_LIMIT_BYTES = 1024 * 1024;
