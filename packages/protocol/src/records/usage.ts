import { z } from 'zod';
import { USAGE_GROUPINGS } from '../enumerations.js';
import { EpochMs, RunId, SessionId } from './ids.js';

/** Usage of model calls. The cost is known only if the price table contains the model. */
export const Usage = z.strictObject({
  modelCalls: z.int().min(0),
  inputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  /** In the currency of the price table; absent if the price of any call is unknown. */
  cost: z.number().min(0).optional(),
});
export type Usage = z.infer<typeof Usage>;

export const UsageGrouping = z.enum(USAGE_GROUPINGS);
export type UsageGrouping = z.infer<typeof UsageGrouping>;

export const UsageQuery = z.strictObject({
  by: UsageGrouping.default('day'),
  sessionId: SessionId.optional(),
  runId: RunId.optional(),
  since: EpochMs.optional(),
  until: EpochMs.optional(),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const UsageReport = z.strictObject({
  by: UsageGrouping,
  groups: z.array(z.strictObject({ key: z.string(), usage: Usage })),
  total: Usage,
  currency: z.string().optional(),
});
export type UsageReport = z.infer<typeof UsageReport>;
