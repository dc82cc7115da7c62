/** `note`: worth knowing, nothing to do. `problem`: something does not or will not work. */
export type Level = 'ok' | 'note' | 'problem';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly detail: string;
  /** What to do; every problem has one. */
  readonly fix?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, level: 'ok', detail });
export const note = (check: string, detail: string): Finding => ({ check, level: 'note', detail });
export const problem = (check: string, detail: string, fix: string): Finding => ({
  check,
  level: 'problem',
  detail,
  fix,
});
