import { advanceTopic, insertEvent, type Tx } from '@stoa/store';

/** The least a write to a topic consists of. Returns the sequence it got. */
export function* appendEvent(topic: string, body: string): Tx<number> {
  const advanced = yield* advanceTopic.first({ name: topic, count: 1 });
  if (!advanced) throw new Error(`There is no topic ${topic}`);
  const { id, head } = advanced;
  yield* insertEvent.run({ topicId: id, seq: head, at: 1, type: 'test', actor: 'system', body });
  return head;
}
