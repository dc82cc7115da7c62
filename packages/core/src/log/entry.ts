import type { Stamped } from '@stoa/protocol';
import type { EventRow } from '@stoa/store';

/** Where an event stands, for those who project it. */
export interface Place {
  readonly topicId: number;
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
}

/** An event as the log keeps it; the body stays text until somebody needs to look inside. */
export interface LogEntry extends EventRow {
  readonly topic: string;
}

export function parseEntry(entry: LogEntry): Stamped {
  return {
    topic: entry.topic,
    seq: entry.seq,
    at: entry.at,
    actor: entry.actor,
    type: entry.type,
    data: JSON.parse(entry.body) as unknown,
  } as Stamped;
}

/** The wire form of an event, put together around the stored body so that fan-out parses nothing. */
export function encodeEntry(entry: LogEntry): string {
  return `{"topic":${JSON.stringify(entry.topic)},"seq":${String(entry.seq)},"at":${String(entry.at)},"actor":${JSON.stringify(entry.actor)},"type":"${entry.type}","data":${entry.body}}`;
}
