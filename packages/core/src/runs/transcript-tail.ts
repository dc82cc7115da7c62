import { findEvent, listEventSizesBefore, listEventsOfTypeBefore, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';
import { isInView } from './context-start.js';

/** How much of it is wanted, by who does not need all. */
export interface TranscriptTail {
  /** What was before the run under way, about. The run itself is always whole. */
  readonly bytes: number;
  /** The code of a note that is wanted, however old it is. */
  readonly note: string;
}

const PAGE = 500;
const NOTES = 20;

/** A part of a topic, without both ends. */
export interface Reach {
  readonly topicId: number;
  readonly after: number;
  readonly before: number;
}

/** After which event a tail begins that has all of the run under way. */
export function* tailStart(reach: Reach, runId: string, bytes: number): Tx<number> {
  let { before } = reach;
  let room = bytes;
  let hasRun = false;
  for (;;) {
    const page = yield* listEventSizesBefore.all({ ...reach, before, limit: PAGE });
    for (const { seq, type, bytes: size } of page) {
      if (hasRun) room -= size;
      if (room < 0) return seq;
      if (type === 'started' && !hasRun) {
        const event = yield* findEvent.first({ topicId: reach.topicId, seq });
        hasRun = event !== undefined && dataOf('started', event).runId === runId;
      }
      before = seq;
    }
    if (page.length < PAGE) return reach.after;
  }
}

/** The last note of this code. */
export function* lastNote(reach: Reach, code: string, view: string): Tx<string | undefined> {
  let { before } = reach;
  for (;;) {
    const page = yield* listEventsOfTypeBefore.all({
      ...reach,
      type: 'note',
      before,
      limit: NOTES,
    });
    for (const { seq, body } of page) {
      const note = dataOf('note', { body });
      if (note.code === code && isInView(view, note)) return note.text;
      before = seq;
    }
    if (page.length < NOTES) return undefined;
  }
}
