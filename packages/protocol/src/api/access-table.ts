/** The classes of callers in the authorisation table; a principal belongs to exactly one. */
export const CALLER_CLASSES = ['anonymous', 'human', 'session', 'adapter', 'admin'] as const;
export type CallerClass = (typeof CALLER_CLASSES)[number];

/** Least authority: a route lists who may call it; nobody else may. */
export const ANYONE: readonly CallerClass[] = [...CALLER_CLASSES];
export const PEOPLE: readonly CallerClass[] = ['human', 'admin'];
/** For calls that a session may make with its own token. */
export const PEOPLE_AND_SESSIONS: readonly CallerClass[] = [...PEOPLE, 'session'];
export const OWNER: readonly CallerClass[] = ['admin'];
