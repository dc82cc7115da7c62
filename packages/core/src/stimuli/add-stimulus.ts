import {
  type Ceiling,
  type ChannelEvent,
  channelTopic,
  type NewStimulus,
  type StimulusKind,
  StoaError,
} from '@stoa/protocol';
import {
  countLiveStimuli,
  type FullStimulusRow,
  findChannelFields,
  listStimuliByKey,
  type Tx,
} from '@stoa/store';
import type { LockedChannel } from '../channels/channel-gate.js';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import type { NewEvent } from '../kernel/log.js';
import type { StimulusContext } from './context.js';
import { keysOf, supersedes } from './equivalence.js';
import { createdOf } from './records.js';

/** A stimulus without its id. */
export type Wanted = Omit<NewStimulus, 'stimulusId'>;

/** Adds a stimulus and settles those that it supersedes. The first event is the one that adds it. */
export function* addStimulus(
  context: StimulusContext,
  channel: LockedChannel,
  wanted: Wanted,
): Tx<{ stimulus: NewStimulus; events: NewEvent[] }> {
  const { topicId, channelId } = channel;
  const superseded = yield* supersededBy(topicId, wanted);
  yield* assertRoom(channel, -superseded.length);
  const stimulus = { stimulusId: context.ids.next('stm'), ...wanted };
  const topic = channelTopic(channelId);
  const add = (event: ChannelEvent): NewEvent => ({ topic, event });
  return {
    stimulus,
    events: [
      add({ type: 'stimulus_created', data: stimulus }),
      ...superseded.map(({ stimulusId }) =>
        add({
          type: 'stimulus_settled',
          data: {
            stimulusId,
            state: 'superseded',
            reason: 'superseded',
            byStimulusId: stimulus.stimulusId,
          },
        }),
      ),
    ],
  };
}

/** Waiting stimuli, oldest first. The cost does not grow with the queue. */
function* supersededBy(topicId: number, wanted: Wanted): Tx<FullStimulusRow[]> {
  const found = new Map<string, FullStimulusRow>();
  for (const key of keysOf(wanted)) {
    for (const row of yield* listStimuliByKey.all({ topicId, key })) found.set(row.stimulusId, row);
  }
  return [...found.values()]
    .filter((row) => supersedes(wanted, createdOf(row)))
    .sort((a, b) => a.seq - b.seq);
}

/** Throws `too_many_stimuli` when the queue is full; `change` is added to its present length. */
export function* assertRoom({ topicId, channelId }: LockedChannel, change = 0): Tx<void> {
  const live = ((yield* countLiveStimuli.first({ topicId }))?.count ?? 0) + change;
  const fields = yield* findChannelFields.first({ topicId });
  const { maxPendingStimuli } = policyOf(settingsOf(fields?.settings ?? '{}'));
  if (live < maxPendingStimuli) return;
  throw new StoaError('too_many_stimuli', `${String(live)} stimuli wait in ${channelId} already`);
}

/** A message of the daemon itself. */
interface ThreadReport {
  readonly kind: StimulusKind;
  readonly threadRootMessageId: string;
  readonly content: string;
  readonly senderSessionId?: string | undefined;
  readonly addressedMemberIds?: readonly string[];
  readonly sourceKind?: string;
  readonly sourceRef?: string;
  readonly dedupeKey?: string;
  readonly progressKey?: string;
  readonly ceiling?: Ceiling | undefined;
}

/**
 * Adds a stimulus of the daemon itself. If the queue is full, it is dropped with a line in the daemon's log: no caller waits
 * for it.
 */
export function* reportInThread(
  context: StimulusContext,
  channel: LockedChannel,
  { addressedMemberIds = [], senderSessionId, ceiling, ...report }: ThreadReport,
  at: number,
): Tx<NewEvent[]> {
  try {
    const { events } = yield* addStimulus(context, channel, {
      ...report,
      scope: 'thread',
      visibilityHint: 'auto',
      addressedMemberIds: [...addressedMemberIds],
      ...(senderSessionId === undefined ? {} : { senderSessionId }),
      availableAt: at,
      metadata: {},
      ...(ceiling && { ceiling }),
    });
    return events;
  } catch (error) {
    if (!(error instanceof StoaError) || error.code !== 'too_many_stimuli') throw error;
    const { kind } = report;
    context.diagnose('a stimulus was dropped because its queue is full', {
      channelId: channel.channelId,
      kind,
    });
    return [];
  }
}
