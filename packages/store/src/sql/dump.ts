import { type Statement, statement } from './statement.js';

export type Row = Record<string, string | number | null>;
export type Page = { topicId: number; offset: number; limit: number };

/** Reads a table in a fixed order. */
export const dump = (table: string, order: string): Statement<Page, Row> =>
  statement<Page, Row>(
    `SELECT * FROM "${table}" WHERE "topicId" = :topicId ORDER BY ${order} LIMIT :limit OFFSET :offset`,
  );

/** Reads a projection table page by page, so that it can be compared with a replay. */
export type TableDump = Statement<Page, Row>;
