/** What a script may rely on. */
export const EXIT = { ok: 0, failure: 1, usage: 2, unreachable: 3, denied: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
