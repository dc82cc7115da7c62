import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { ChannelId, MessageId, Seq, StimulusId } from '../../records/ids.js';
import { CreateStimulus, Stimulus, StimulusState } from '../../records/stimulus.js';
import { ThreadWork, UpdateThreadWork } from '../../records/thread-work.js';
import { PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const inChannel = z.strictObject({ channelId: ChannelId });
const one = z.strictObject({ channelId: ChannelId, stimulusId: StimulusId });
const ofThread = z.strictObject({ channelId: ChannelId, messageId: MessageId });
const limit = z.int().min(1).max(LIMITS.pageSize).default(50);

/** What gives agents a reason to speak without a person, and the work that comes of it. */
export const STIMULI_ROUTES = {
  listStimuli: {
    method: 'GET',
    path: '/v1/channels/:channelId/stimuli',
    tag: 'stimuli',
    summary: 'Stimuli of a channel that wait, and the last that ended; newest first',
    access: PEOPLE,
    params: inChannel,
    query: z.strictObject({
      state: StimulusState.optional(),
      threadRootMessageId: MessageId.optional(),
      before: Seq.optional(),
      limit,
    }),
    answer: z.strictObject({ stimuli: z.array(Stimulus), nextBefore: Seq.optional() }),
    status: 200,
  },
  createStimulus: {
    method: 'POST',
    path: '/v1/channels/:channelId/stimuli',
    tag: 'stimuli',
    summary: 'Give a channel a reason to speak; the daemon decides where and when it is posted',
    access: PEOPLE,
    params: inChannel,
    body: CreateStimulus,
    idempotent: true,
    answer: Stimulus,
    status: 201,
  },
  getStimulus: {
    method: 'GET',
    path: '/v1/channels/:channelId/stimuli/:stimulusId',
    tag: 'stimuli',
    summary: 'One stimulus, with what became of it',
    access: PEOPLE,
    params: one,
    answer: Stimulus,
    status: 200,
  },
  cancelStimulus: {
    method: 'POST',
    path: '/v1/channels/:channelId/stimuli/:stimulusId/cancel',
    tag: 'stimuli',
    summary: 'Take back a stimulus that waits',
    access: PEOPLE,
    params: one,
    answer: Stimulus,
    status: 200,
  },
  replayStimulus: {
    method: 'POST',
    path: '/v1/channels/:channelId/stimuli/:stimulusId/replay',
    tag: 'stimuli',
    summary: 'Try a dead letter, or one that was cancelled, again',
    access: PEOPLE,
    params: one,
    answer: Stimulus,
    status: 200,
  },
  listThreadWork: {
    method: 'GET',
    path: '/v1/channels/:channelId/thread-work',
    tag: 'stimuli',
    summary: 'The threads of a channel that are worked on; newest first',
    access: PEOPLE,
    params: inChannel,
    query: z.strictObject({
      state: z.enum(['open', 'all']).default('all'),
      threadRootMessageId: MessageId.optional(),
      before: MessageId.optional(),
      limit,
    }),
    answer: z.strictObject({ work: z.array(ThreadWork), nextBefore: MessageId.optional() }),
    status: 200,
  },
  updateThreadWork: {
    method: 'PATCH',
    path: '/v1/channels/:channelId/thread-work/:messageId',
    tag: 'stimuli',
    summary: 'Record how far the work of a thread is: a status, a verdict, an owner',
    access: PEOPLE,
    params: ofThread,
    body: UpdateThreadWork,
    answer: ThreadWork,
    status: 200,
  },
} as const satisfies Record<string, Route>;
