import { insertEvent, openTopicEnd, type Tx } from '@stoa/store';

/** Appends one event to a topic and returns its sequence. */
export function* appendEvent(topic: string, body: string): Tx<number> {
  const end = yield* openTopicEnd.first({ name: topic });
  if (!end) throw new Error(`There is no topic ${topic}`);
  const seq = end.head + 1;
  yield* insertEvent.run({ topicId: end.id, seq, at: 1, type: 'test', actor: 'system', body });
  return seq;
}
