import { z } from 'zod';
import { DISPATCH_RULES, WORK_KINDS } from '../enumerations.js';

/** What an inbox item is, and so what the run that takes it is. */
export const WorkKind = z.enum(WORK_KINDS);
export type WorkKind = z.infer<typeof WorkKind>;

/** What happens to an item that finds its session busy. */
export const DispatchRule = z.enum(DISPATCH_RULES);
export type DispatchRule = z.infer<typeof DispatchRule>;

/** Higher goes first. */
export const Priority = z.int().min(0).max(9);

/** Where a piece of work came from and where its answer belongs; absent for a direct prompt. */
export const Origin = z.strictObject({
  channelId: z.string().optional(),
  threadRootMessageId: z.string().optional(),
  chatId: z.string().optional(),
  messageId: z.string().optional(),
  scheduleId: z.string().optional(),
  fromSessionId: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;
