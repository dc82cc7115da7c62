import type { SqlText } from '../sql/statement.js';

/** Verbs are constants of the program, so their number is small; texts made on the fly stay nameless. */
const MOST = 500;

/** The name under which each connection keeps a verb prepared. */
export class StatementNames {
  readonly #names = new WeakMap<SqlText, string>();
  #given = 0;

  of(text: SqlText): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#given >= MOST) return known;
    this.#given += 1;
    const name = `v${String(this.#given)}`;
    this.#names.set(text, name);
    return name;
  }
}
