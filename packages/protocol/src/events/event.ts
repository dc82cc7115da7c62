import { z } from 'zod';
import { ActorId, EpochMs, Seq } from '../records/ids.js';
import { ChannelEvent } from './channel-events.js';
import { HumanEvent } from './human-events.js';
import { MemoryEvent } from './memory-events.js';
import { ProjectEvent } from './project-events.js';
import { SessionEvent } from './session-events.js';
import { TopicName } from './topic.js';

export type EventBody = ChannelEvent | HumanEvent | MemoryEvent | ProjectEvent | SessionEvent;

/** The data of the events of a type. */
export type EventData<T extends EventBody['type']> = Extract<EventBody, { type: T }>['data'];

/** An event as it stands in its topic: numbered without gaps, timed by the daemon's clock. */
export type Stamped<E extends EventBody = EventBody> = E & {
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
};

const stamp = { topic: TopicName, seq: Seq, at: EpochMs, actor: ActorId };
// Lazy, as the events are: to build them all takes a tenth of a start, and few starts need them.
export const StampedEvent = z.lazy(() =>
  z.union([
    ...ChannelEvent.unwrap().options.map((option) => option.extend(stamp)),
    ...HumanEvent.unwrap().options.map((option) => option.extend(stamp)),
    ...MemoryEvent.unwrap().options.map((option) => option.extend(stamp)),
    ...SessionEvent.unwrap().options.map((option) => option.extend(stamp)),
    ...ProjectEvent.unwrap().options.map((option) => option.extend(stamp)),
  ]),
);
