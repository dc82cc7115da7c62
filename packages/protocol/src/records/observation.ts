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
  /** As of a stimulus: where what comes from here goes. */
  scope: StimulusScope,
  threadRootMessageId: MessageId.optional(),
  visibilityHint: VisibilityHint,
  /** What is said, with `{{path.of.a.field}}` of the JSON that was sent. Absent: its `text`, or all of it. */
  template: z.string().max(LIMITS.descriptionChars).regex(/\S/).optional(),
  /** What comes from one that is not, is refused. */
  enabled: z.boolean(),
};

/** What a change of a source leaves in the log: never its secret. */
export const ObservationSourceSettings = z.strictObject({
  sourceId: ObservationSourceId,
  ...settings,
});
export type ObservationSourceSettings = z.infer<typeof ObservationSourceSettings>;

/** Something outside that may tell a channel what it sees, by signed requests. */
export const ObservationSource = ObservationSourceSettings.extend({
  channelId: ChannelId,
  createdBy: ActorId,
  createdAt: EpochMs,
  updatedAt: EpochMs,
});
export type ObservationSource = z.infer<typeof ObservationSource>;

/** The only answer that holds a secret. */
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

/** Absent leaves a field as it is; `null` clears it. */
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
  /** As the sender calls it: the same one is taken once. */
  deliveryId: z.string(),
  /** What it became; that holds all it says. */
  stimulusId: StimulusId,
  excerpt: z.string(),
  bytes: z.int().min(0),
  /** A digest of the signature, so that one that is sent again under another name is known. */
  proof: z.string(),
});
export type NewObservation = z.infer<typeof NewObservation>;

/** Something that was seen outside. */
export const Observation = NewObservation.omit({ proof: true }).extend({
  channelId: ChannelId,
  receivedAt: EpochMs,
});
export type Observation = z.infer<typeof Observation>;
