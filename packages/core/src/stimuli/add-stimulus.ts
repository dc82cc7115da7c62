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
import { keysOf, takesPlaceOf } from './equivalence.js';
import { createdOf } from './records.js';

/** A stimulus as it stands, but for its id. */
export type Wanted = Omit<NewStimulus, 'stimulusId'>;

/** Adds one, and takes out of the queue what it takes the place of; the first event is the one that adds it. */
export function* addStimulus(
  context: StimulusContext,
  channel: LockedChannel,
  wanted: Wanted,
): Tx<{ stimulus: NewStimulus; events: NewEvent[] }> {
  const { topicId, channelId } = channel;
  const replaced = yield* replacedBy(topicId, wanted);
  yield* assertRoom(channel, -replaced.length);
  const stimulus = { stimulusId: context.ids.next('stm'), ...wanted };
  const topic = channelTopic(channelId);
  const add = (event: ChannelEvent): NewEvent => ({ topic, event });
  return {
    stimulus,
    events: [
      add({ type: 'stimulus_created', data: stimulus }),
      ...replaced.map(({ stimulusId }) =>
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

/** The waiting stimuli that this one replaces, oldest first. The cost does not grow with the queue. */
function* replacedBy(topicId: number, wanted: Wanted): Tx<FullStimulusRow[]> {
  const found = new Map<string, FullStimulusRow>();
  for (const key of keysOf(wanted)) {
    for (const row of yield* listStimuliByKey.all({ topicId, key })) found.set(row.stimulusId, row);
  }
  return [...found.values()]
    .filter((row) => takesPlaceOf(wanted, createdOf(row)))
    .sort((a, b) => a.seq - b.seq);
}

/** Refuses one more where so many wait already; `change` is how many more or fewer they will be by then. */
export function* assertRoom({ topicId, channelId }: LockedChannel, change = 0): Tx<void> {
  const live = ((yield* countLiveStimuli.first({ topicId }))?.count ?? 0) + change;
  const fields = yield* findChannelFields.first({ topicId });
  const { maxPendingStimuli } = policyOf(settingsOf(fields?.settings ?? '{}'));
  if (live < maxPendingStimuli) return;
  throw new StoaError('too_many_stimuli', `${String(live)} stimuli wait in ${channelId} already`);
}

/** What the daemon itself has to tell in a thread. */
interface News {
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

/** Nobody waits for it who could be told that too many wait: it is left out, with a line in the log. */
export function* tellThread(
  context: StimulusContext,
  channel: LockedChannel,
  { addressedMemberIds = [], senderSessionId, ceiling, ...news }: News,
  at: number,
): Tx<NewEvent[]> {
  try {
    const { events } = yield* addStimulus(context, channel, {
      ...news,
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
    const { kind } = news;
    context.diagnose('a stimulus found no room', { channelId: channel.channelId, kind });
    return [];
  }
}
