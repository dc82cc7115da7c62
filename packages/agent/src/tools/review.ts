import type { Approval } from '@stoa/protocol';
import { cutText } from './cut-text.js';

/**
 * What a reviewer sees in addition to the arguments. Text that the agent wrote or could have written belongs in
 * `detail`: in `notes` it would look like a statement of the daemon.
 */
export interface Review {
  /** The effect of the call, such as a diff. */
  readonly detail?: string | undefined;
  /** The directory, the sandbox, limits. */
  readonly notes?: readonly string[] | undefined;
}

const DETAIL_CHARS = 50_000;
const CUT = 'The detail is too long to be shown completely: a part in the middle is left out.';

/** The fields of the approval. */
export function reviewFields({ detail, notes = [] }: Review): Pick<Approval, 'detail' | 'notes'> {
  const isCut = detail !== undefined && detail.length > DETAIL_CHARS;
  const all = isCut ? [...notes, CUT] : [...notes];
  return {
    ...(detail === undefined ? {} : { detail: cutText(detail, DETAIL_CHARS) }),
    ...(all.length === 0 ? {} : { notes: all }),
  };
}
