import type { Migration } from './migration.js';

/*
 * Names that older programs wrote, in columns and in the JSON of events and tasks: `place` is `location`, `lookedAt` is
 * `checkedAt`, and `heard` is `recentMessages`. Events are rewritten too, so that a replay of an old log needs no
 * other names. Ids are not: people and messages quote them.
 *
 * A key is renamed in the text. A JSON function of an engine would change the order of keys, and `jsonb` refuses
 * escapes (`\u0000`, half of a surrogate pair) that texts may contain. Only the first occurrence is renamed: the
 * objects that callers choose (`metadata`, `detail`) follow later, and inside a string the quotes are escaped.
 */
interface Renaming {
  readonly table: string;
  readonly column: string;
  /** The key with its colon and the character that begins its value. */
  readonly from: string;
  readonly to: string;
  readonly where?: string;
}

const RENAMINGS: readonly Renaming[] = [
  {
    table: 'events',
    column: 'body',
    from: '"heard":[',
    to: '"recentMessages":[',
    where: `"type" = 'accepted' AND "body" LIKE '{"itemId":"${'_'.repeat(30)}","kind":"channel_delivery",%'`,
  },
  {
    table: 'events',
    column: 'body',
    from: '"place":"',
    to: '"location":"',
    where: `"type" IN ('background_task_created', 'background_task_received')`,
  },
  { table: 'tasks', column: 'entry', from: '"place":"', to: '"location":"' },
];

/** `find` is the function of the engine that returns the position of a text in another, or 0. */
const renamed = (find: string, { table, column, from, to, where }: Renaming): string => {
  const at = `${find}("${column}", '${from}')`;
  return `
UPDATE "${table}"
  SET "${column}" = substr("${column}", 1, ${at} - 1) || '${to}' || substr("${column}", ${at} + ${String(from.length)})
  WHERE ${at} > 0${where === undefined ? '' : ` AND ${where}`};`;
};

const statements = (find: string): string => `
ALTER TABLE "tasks" RENAME COLUMN "place" TO "location";
ALTER TABLE "dreamGates" RENAME COLUMN "lookedAt" TO "checkedAt";${RENAMINGS.map((one) => renamed(find, one)).join('')}
`;

export const plainNames: Migration = {
  version: 7,
  name: 'plain-names',
  sqlite: statements('instr'),
  postgres: statements('strpos'),
};
