import { z } from 'zod';

/** What an inbox item is, and so what the run that takes it is. */
export const WorkKind = z.enum([
  'input',
  'channel_delivery',
  'mailbox_delivery',
  'task_notice',
  'team_task',
  'schedule',
  'resume',
  'system',
]);
export type WorkKind = z.infer<typeof WorkKind>;

/** What happens to an item that finds its session busy. */
export const DispatchRule = z.enum(['followup', 'collect', 'steer', 'inject', 'interrupt']);
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
