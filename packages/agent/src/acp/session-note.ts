import { z } from 'zod';

/** The code of the entry in a session's journal that says which session of the agent program it is. */
export const SESSION_NOTE = 'acp_session';

/** What is kept of a session of an agent program, so that it is found again after a restart. */
const SessionNote = z.object({
  /** The program's id for it. */
  id: z.string().min(1),
  /** Which program: the id of another means nothing. */
  program: z.string(),
  /** The digest of the instructions that it was given. */
  told: z.string(),
});
export type SessionNote = z.infer<typeof SessionNote>;

export const writeNote = ({ id, program, told }: SessionNote): string =>
  JSON.stringify({ id, program, told });

export function readNote(text: string | undefined): SessionNote | undefined {
  if (text === undefined) return undefined;
  try {
    return SessionNote.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
