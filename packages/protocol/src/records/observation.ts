import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { Title } from './channel.js';
import {
  ActorId,
  ChannelId,
  EpochMs,
  MessageId,
  ObservationId,
  ObservationSourceId,
  StimulusId,
} from './ids.js';
import { StimulusScope, VisibilityHint } from './stimulus.js';

const settings = {
  title: Title,
  /** As for a stimulus: where its observations are posted. */
  scope: StimulusScope,
  threadRootMessageId: MessageId.optional(),
  visibilityHint: VisibilityHint,
  /**
   * The text of the message, with `{{path.of.a.field}}` of the received JSON. Absent: its `text` field, or all of it.
   */
  template: z.string().max(LIMITS.descriptionChars).regex(/\S/).optional(),
  /** Observations of a disabled source are refused. */
  enabled: z.boolean(),
};

/** What a change of a source stores in the log: never its secret. */
export const ObservationSourceSettings = z.strictObject({
  sourceId: ObservationSourceId,
  ...settings,
});
export type ObservationSourceSettings = z.infer<typeof ObservationSourceSettings>;

/** An external system that may report observations to a channel with signed requests. */
export const ObservationSource = ObservationSourceSettings.extend({
  channelId: ChannelId,
  createdBy: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
});
export type ObservationSource = z.infer<typeof ObservationSource>;

/** The only answer with the secret. */
export const ObservationSourceWithSecret = z.strictObject({
  source: ObservationSource,
  secret: z.string(),
});
export type ObservationSourceWithSecret = z.infer<typeof ObservationSourceWithSecret>;

export const CreateObservationSource = z.strictObject({
  channelId: ChannelId,
  ...settings,
  scope: StimulusScope.default('channel'),
  visibilityHint: VisibilityHint.default('auto'),
  enabled: z.boolean().default(true),
});
export type CreateObservationSource = z.infer<typeof CreateObservationSource>;

/** An absent field is not changed; `null` clears it. */
export const UpdateObservationSource = z.strictObject({
  title: Title.optional(),
  scope: StimulusScope.optional(),
  threadRootMessageId: MessageId.nullable().optional(),
  visibilityHint: VisibilityHint.optional(),
  template: settings.template.nullable(),
  enabled: z.boolean().optional(),
});
export type UpdateObservationSource = z.infer<typeof UpdateObservationSource>;

export const NewObservation = z.strictObject({
  observationId: ObservationId,
  sourceId: ObservationSourceId,
  /** The sender's id for it: each is accepted once. */
  deliveryId: z.string(),
  /** The stimulus that it became, which has the content. */
  stimulusId: StimulusId,
  excerpt: z.string(),
  bytes: z.int().min(0),
  /** A digest of the signature, which detects the same request under another delivery id. */
  proof: z.string(),
});
export type NewObservation = z.infer<typeof NewObservation>;

/** An external event that a source reported. */
export const Observation = NewObservation.omit({ proof: true }).extend({
  channelId: ChannelId,
  receivedAt: EpochMs,
});
export type Observation = z.infer<typeof Observation>;
