import { OWNER_ID } from '../access/credentials.js';
import type { OpenSession } from '../access/session-gate.js';

/** Who is asked to decide for a session: the person it works for, and the owner. */
export function humansAsked({ responsibleId }: Pick<OpenSession, 'responsibleId'>): string[] {
  const responsible = responsibleId.startsWith('human:')
    ? responsibleId.slice('human:'.length)
    : OWNER_ID;
  return [...new Set([responsible, OWNER_ID])];
}
