import type { Approval } from '@stoa/protocol';
import { cutText } from './cut-text.js';

/**
 * What a reviewer sees beside the arguments. Whatever the agent wrote, or could have, stands in `detail`: in
 * `notes` it would pass for what the daemon says.
 */
export interface Review {
  /** What the call comes to, such as a diff. */
  readonly detail?: string | undefined;
  /** Where it runs, what it is kept from, how long it may go on. */
  readonly notes?: readonly string[] | undefined;
}

const DETAIL_CHARS = 50_000;
const CUT = 'What it comes to is too long to be shown whole: a part in the middle is left out.';

/** As it stands in the question. */
export function reviewFields({ detail, notes = [] }: Review): Pick<Approval, 'detail' | 'notes'> {
  const isCut = detail !== undefined && detail.length > DETAIL_CHARS;
  const all = isCut ? [...notes, CUT] : [...notes];
  return {
    ...(detail === undefined ? {} : { detail: cutText(detail, DETAIL_CHARS) }),
    ...(all.length === 0 ? {} : { notes: all }),
  };
}
