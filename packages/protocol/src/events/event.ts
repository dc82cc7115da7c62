import { z } from 'zod';
import { ActorId, EpochMs, Seq } from '../records/ids.js';
import { TOPICS, TopicName, type Topics } from './topic.js';

/** Every event, of any topic. */
export type EventBody = z.infer<Topics['events']>;

/** The data of the events of a type. */
export type EventData<T extends EventBody['type']> = Extract<EventBody, { type: T }>['data'];

/** An event in its topic: numbered without gaps, timed by the daemon's clock. */
export type Stamped<E extends EventBody = EventBody> = E & {
  readonly topic: string;
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
};

const stamp = { topic: TopicName, seq: Seq, at: EpochMs, actor: ActorId };
export const StampedEvent = z.lazy(
  (): z.ZodType<Stamped> =>
    z.union(
      TOPICS.flatMap(({ events }) => events.unwrap().options.map((option) => option.extend(stamp))),
    ) as unknown as z.ZodType<Stamped>,
);
