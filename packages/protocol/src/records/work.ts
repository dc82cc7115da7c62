import { z } from 'zod';
import { DISPATCH_RULES, WORK_KINDS } from '../enumerations.js';

/** The kind of an inbox item, and of the run that takes it. */
export const WorkKind = z.enum(WORK_KINDS);
export type WorkKind = z.infer<typeof WorkKind>;

/** What an item does if its session is busy. */
export const DispatchRule = z.enum(DISPATCH_RULES);
export type DispatchRule = z.infer<typeof DispatchRule>;

/** Higher values go first. */
export const Priority = z.int().min(0).max(9);

/** Where work came from and where its answer goes; absent for a direct prompt. */
export const Origin = z.strictObject({
  channelId: z.string().optional(),
  threadRootMessageId: z.string().optional(),
  chatId: z.string().optional(),
  messageId: z.string().optional(),
  scheduleId: z.string().optional(),
  fromSessionId: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;
