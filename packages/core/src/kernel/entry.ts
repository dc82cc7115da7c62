import type { EventBody, Stamped } from '@stoa/protocol';
import type { EventRow } from '@stoa/store';
import { decodeEvent } from './codec.js';

/** The position of an event in the log, for projections. */
export interface Position {
  readonly topicId: number;
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
}

/** An event of the log. Its body is JSON text and is parsed only when it is needed. */
export interface LogEntry extends EventRow {
  readonly topic: string;
}

/** An entry that this process just appended, with the event it was made from. */
export interface AppendedEntry extends LogEntry {
  readonly data: EventBody['data'];
}

/** The id of the noun a topic belongs to. */
export const nounIdOf = (topic: string): string => topic.slice(topic.indexOf(':') + 1);

/** The wire form of an event. It contains the stored body unchanged, so delivery to many readers parses nothing. */
export function encodeEntry(entry: LogEntry): string {
  return `{"topic":${JSON.stringify(entry.topic)},"seq":${String(entry.seq)},"at":${String(entry.at)},"actor":${JSON.stringify(entry.actor)},"type":"${entry.type}","data":${entry.body}}`;
}

export function parseEntry(entry: LogEntry): Stamped {
  const { topic, seq, at, actor } = entry;
  return { topic, seq, at, actor, ...decodeEvent(entry) };
}
