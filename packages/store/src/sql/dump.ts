import { type Statement, statement } from './statement.js';

export type Row = Record<string, string | number | null>;
export type Page = { topicId: number; offset: number; limit: number };

/** Reads a table in this order. */
export const dump = (table: string, order: string): Statement<Page, Row> =>
  statement<Page, Row>(
    `SELECT * FROM "${table}" WHERE "topicId" = :topicId ORDER BY ${order} LIMIT :limit OFFSET :offset`,
  );

/** Reads a table that is a replay of a topic's log, page by page in a fixed order, to be compared with one. */
export type TableDump = Statement<Page, Row>;
