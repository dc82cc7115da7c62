import * as constants from './noun-constants.js';

type Constants = typeof constants;

/** The entries of all tables that nouns export with entries of this form. */
export type Merged<Entry> = AllOf<
  Extract<Constants[keyof Constants], Readonly<Record<string, Entry>>>
>;
type AllOf<Table> = (Table extends unknown ? (table: Table) => void : never) extends (
  all: infer All,
) => void
  ? { readonly [K in keyof All]: All[K] }
  : never;

/** Merges the tables whose entries have these fields. */
export function mergedTables<Entry extends object>(
  ...fields: readonly (keyof Entry & string)[]
): Merged<Entry> {
  const isEntry = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && fields.every((field) => field in value);
  const isTable = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && Object.values(value).every(isEntry);
  return Object.assign({}, ...Object.values<unknown>(constants).filter(isTable)) as Merged<Entry>;
}
