import { findEvent, listEventSizesBefore, listEventsOfTypeBefore, type Tx } from '@stoa/store';
import { dataOf } from '../kernel/codec.js';
import { isInView } from './context-start.js';

/** The part of a transcript that a driver needs. */
export interface TranscriptTail {
  /** The approximate size of the part before the active run. The active run is always complete. */
  readonly bytes: number;
  /** The code of a note that is needed too, no matter how old it is. */
  readonly note: string;
}

const PAGE = 500;
const NOTES = 20;

/** A part of a topic: `after` and `before` are not part of it. */
export interface Range {
  readonly topicId: number;
  readonly after: number;
  readonly before: number;
}

/** The event after which a tail begins that contains the whole active run. */
export function* tailStart(range: Range, runId: string, bytes: number): Tx<number> {
  let { before } = range;
  let room = bytes;
  let hasRun = false;
  for (;;) {
    const page = yield* listEventSizesBefore.all({ ...range, before, limit: PAGE });
    for (const { seq, type, bytes: size } of page) {
      if (hasRun) room -= size;
      if (room < 0) return seq;
      if (type === 'started' && !hasRun) {
        const event = yield* findEvent.first({ topicId: range.topicId, seq });
        hasRun = event !== undefined && dataOf('started', event).runId === runId;
      }
      before = seq;
    }
    if (page.length < PAGE) return range.after;
  }
}

/** The last note of this code. */
export function* lastNote(range: Range, code: string, view: string): Tx<string | undefined> {
  let { before } = range;
  for (;;) {
    const page = yield* listEventsOfTypeBefore.all({
      ...range,
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
