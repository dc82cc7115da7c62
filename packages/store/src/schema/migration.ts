/** A numbered, immutable step of the schema. A released one is never edited; a new one is added. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}
