import { z } from 'zod';
import { DELIVERY_WAYS, INBOX_ITEM_STATES } from '../enumerations.js';
import { LIMITS } from '../limits.js';
import { requested } from './ceiling.js';
import { ChannelDelivery } from './delivery.js';
import { ActorId, EpochMs, InboxItemId, Metadata, RunId, SessionId } from './ids.js';
import { InputItem, StoredItem } from './message.js';
import { DispatchRule, Origin, Priority, WorkKind } from './work.js';

/**
 *   waiting ──its run reached the driver──▶ delivered
 *      ├──cancelled, superseded, cleared──▶ dropped
 *      └──expired, failed too often, recipient gone──▶ dead_letter
 */
export const InboxItemState = z.enum(INBOX_ITEM_STATES);
export type InboxItemState = z.infer<typeof InboxItemState>;

/** How an item got into the model's context. */
export const DeliveredHow = z.enum(DELIVERY_WAYS);
export type DeliveredHow = z.infer<typeof DeliveredHow>;

/** An item sent to a session, and its outcome. */
export const InboxItem = z.strictObject({
  itemId: InboxItemId,
  sessionId: SessionId,
  kind: WorkKind,
  /** The requested rule; `appliedRule` may differ: a driver that cannot inject makes it a follow-up. */
  rule: DispatchRule,
  appliedRule: DispatchRule,
  priority: Priority,
  from: ActorId,
  fromName: z.string(),
  subject: z.string().optional(),
  inputItems: z.array(StoredItem),
  origin: Origin,
  /** The context of a turn in a channel. */
  delivery: ChannelDelivery.optional(),
  ...requested,
  state: InboxItemState,
  reason: z.string().optional(),
  runId: RunId,
  /** How often its run failed before delivering it. */
  attempts: z.int().min(0),
  expiresAt: EpochMs.optional(),
  createdAt: EpochMs,
  settledAt: EpochMs.optional(),
  metadata: Metadata,
});
export type InboxItem = z.infer<typeof InboxItem>;

/** Exactly one of `text` and `inputItems`. */
export const SubmitItem = z.strictObject({
  text: z.string().min(1).max(LIMITS.textChars).optional(),
  inputItems: z.array(InputItem).min(1).max(LIMITS.inputItems).optional(),
  rule: DispatchRule.default('followup'),
  priority: Priority.optional(),
  metadata: Metadata.optional(),
});
export type SubmitItem = z.infer<typeof SubmitItem>;

/** A private message from one session to the inbox of another. */
export const SendMailboxMessage = z.strictObject({
  toSessionId: SessionId,
  subject: z.string().min(1).max(LIMITS.titleChars).optional(),
  text: z.string().min(1).max(LIMITS.textChars),
  expiresInMs: z
    .int()
    .min(1_000)
    .max(30 * 24 * 3_600_000)
    .optional(),
});
export type SendMailboxMessage = z.infer<typeof SendMailboxMessage>;
