import { StoaProblem } from '@stoa/client';

/** By field, named by the path of its value in the body. */
export type FieldProblems = Readonly<Record<string, string>>;

/** What is wrong with a form: by field, and what belongs to none of them. */
export interface FormProblems {
  readonly fields: FieldProblems;
  readonly rest: string | undefined;
}

interface Naming {
  /** Codes that concern one field, regardless of their text. */
  readonly byCode?: Readonly<Record<string, string>>;
  /** How fields are to be written that have a pattern. */
  readonly written?: Readonly<Record<string, string>>;
  /** Fields whose numbers are milliseconds and are written as durations. */
  readonly durations?: ReadonlySet<string>;
  /** How numbers of `durations` are written. */
  readonly durationText?: (ms: number) => string;
}

const NO_PROBLEMS: FormProblems = { fields: {}, rest: undefined };

/**
 * Assigns the problems that the daemon reports to fields. Fields are named by the path of their value in the
 * body: `title`, `autonomyPolicy.memberCooldownMs`. What is inside of a field belongs to it.
 */
export function problemsOf(
  error: unknown,
  fields: readonly string[],
  naming: Naming = {},
): FormProblems {
  if (error === null || error === undefined) return NO_PROBLEMS;
  if (!(error instanceof StoaProblem)) {
    return { fields: {}, rest: error instanceof Error ? error.message : 'That did not work.' };
  }
  const found: Record<string, string> = {};
  const rest: string[] = [];
  for (const { path, message } of error.issues) {
    const missing = /^must have required property '(.+)'$/.exec(message)?.[1];
    const where = path.replace(/^(?:body|params|query)\.?/, '');
    const full = missing === undefined ? where : where === '' ? missing : `${where}.${missing}`;
    const field = fieldAt(full, fields);
    if (field === undefined) rest.push(`${full} ${message}`.trim());
    else found[field] ??= inWords(missing === undefined ? message : REQUIRED, field, naming);
  }
  if (error.issues.length > 0) {
    return { fields: found, rest: rest.length === 0 ? undefined : rest.join('\n') };
  }
  const named = /^([A-Za-z]\w*(?:\.\w+)*): (.+)$/s.exec(error.detail);
  const field =
    (named?.[1] === undefined ? undefined : fieldAt(named[1], fields)) ??
    naming.byCode?.[error.code];
  if (field === undefined) return { fields: {}, rest: error.detail };
  const text =
    named?.[1] !== undefined && fieldAt(named[1], fields) === field ? named[2] : undefined;
  return { fields: { [field]: text ?? error.detail }, rest: undefined };
}

const EMPTY = 'This must not be empty.';

/** Those of these that nothing is written in. */
export function emptyOf(written: Readonly<Record<string, string>>): FieldProblems {
  const empty = Object.entries(written).filter(([, text]) => text.trim() === '');
  return Object.fromEntries(empty.map(([name]) => [name, EMPTY]));
}

/** What the foot of a form says, where it is seen however long the form is. */
export function summaryOf({ fields, rest }: FormProblems): string | undefined {
  const count = Object.keys(fields).length;
  const marked =
    count === 0
      ? undefined
      : count === 1
        ? 'One field needs a correction.'
        : `${count} fields need a correction.`;
  const texts = [rest, marked].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The field itself, or the nearest one that contains the path. */
function fieldAt(path: string, fields: readonly string[]): string | undefined {
  return fields
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .sort((a, b) => b.length - a.length)[0];
}

const REQUIRED = 'must not be empty';

/** The validator speaks of schemas; who fills in a form thinks of what to write. */
function inWords(message: string, field: string, naming: Naming): string {
  const number = (digits: string): string =>
    naming.durations?.has(field) === true && naming.durationText
      ? naming.durationText(Number(digits))
      : digits;
  const bound = /^must be (>=|<=) (-?\d+)$/.exec(message);
  if (bound?.[2] !== undefined) {
    return `${bound[1] === '>=' ? 'At least' : 'At most'} ${number(bound[2])}.`;
  }
  const length = /^must NOT have (?:more|fewer) than (\d+) (characters|items)$/.exec(message);
  if (length) {
    const [, count, what] = length;
    return message.includes('more') ? `At most ${count} ${what}.` : `At least ${count} ${what}.`;
  }
  if (message === REQUIRED) return EMPTY;
  const isUnfit = message.startsWith('is not ');
  if (isUnfit || message.startsWith('must match pattern')) {
    const known = naming.written?.[field];
    return known ?? (isUnfit ? `This ${message}.` : 'This has the wrong format.');
  }
  if (/^must be integer/.test(message)) return 'Enter a whole number.';
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, '.');
}
