import { type Statement, statement } from '../sql/statement.js';

export interface UsageRow {
  key: string;
  modelCalls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  cost: number | null;
  unpriced: number;
}

interface UsageFilter {
  sessionId: string | null;
  runId: string | null;
  responsibleId: string | null;
  since: number;
  until: number;
}

const SUM = (key: string): string =>
  `SELECT ${key} AS "key", CAST(sum(u."modelCalls") AS BIGINT) AS "modelCalls", CAST(sum(u."inputTokens") AS BIGINT) AS "inputTokens",
     CAST(sum(u."cachedInputTokens") AS BIGINT) AS "cachedInputTokens", CAST(sum(u."outputTokens") AS BIGINT) AS "outputTokens",
     sum(u."cost") AS "cost", CAST(sum(CASE WHEN u."cost" IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS "unpriced"
   FROM "modelCalls" u JOIN "sessions" s ON s."topicId" = u."topicId"
   WHERE u."at" >= :since AND u."at" < :until
     AND (CAST(:sessionId AS TEXT) IS NULL OR s."sessionId" = :sessionId)
     AND (CAST(:runId AS TEXT) IS NULL OR u."runId" = :runId)
     AND (CAST(:responsibleId AS TEXT) IS NULL OR s."responsibleId" = :responsibleId)
   GROUP BY 1 ORDER BY 1 LIMIT 1000`;

const same = (key: string): Statement<UsageFilter, UsageRow> =>
  statement<UsageFilter, UsageRow>(SUM(key));

/** Days in UTC. */
export const sumUsage: Readonly<
  Record<
    'run' | 'session' | 'agent' | 'channel' | 'day' | 'model',
    Statement<UsageFilter, UsageRow>
  >
> = {
  run: same(`u."runId"`),
  session: same(`s."sessionId"`),
  agent: same(`s."agentId"`),
  channel: same(`coalesce(u."channelId", '')`),
  model: same(`coalesce(u."provider", '') || '/' || coalesce(u."model", '')`),
  day: statement<UsageFilter, UsageRow>({
    sqlite: SUM(`strftime('%Y-%m-%d', u."at" / 1000, 'unixepoch')`),
    postgres: SUM(`to_char(to_timestamp(u."at" / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
  }),
};
