import type { Stamped } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  EventStream,
  LiveSocket,
  newPerson,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('a topic whose past is no longer kept, on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start({
      config: 'retention:\n  humanTopicEvents: 20\n  sweepSeconds: 0.05\n',
    });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await directory.discard();
  });

  /** Mentions in a person's topic, until the oldest of them are gone. */
  async function trimmedTopic(
    humanId: string,
  ): Promise<{ person: Caller; head: number; oldest: number }> {
    const person = await newPerson(daemon, humanId);
    const channelId = `trim-${humanId}`;
    await owner.post('/v1/channels', { channelId, title: channelId });
    await person.post(`/v1/channels/${channelId}/members`, {});
    const call = () =>
      owner.post(`/v1/channels/${channelId}/messages`, {
        text: 'you there?',
        addressedMemberIds: [humanId],
      });
    for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 9 }, call));
    const topic = `human:${humanId}`;
    const page = await until('the past is gone', async () => {
      const { json } = await person.get<{ oldest: number; head: number; events: Stamped[] }>(
        `/v1/topics/${topic}/events?limit=200`,
      );
      return json.head - json.oldest < 20 ? json : undefined;
    });
    expect(page.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, i) => page.oldest + i),
    );
    return { person, head: page.head, oldest: page.oldest };
  }

  it('F-26 a reader behind the floor gets the gap and the oldest sequence, then the rest', async () => {
    const { person, head, oldest } = await trimmedTopic('bea');
    const topic = 'human:bea';
    const socket = await LiveSocket.open(daemon.url, person);
    await socket.subscribe(topic, 3);
    await until('the rest has come', () => socket.events().at(-1)?.seq === head);
    expect(socket.frames.map(({ type }) => type).slice(0, 2)).toEqual(['subscribed', 'gap']);
    expect(socket.framesOf('gap')).toEqual([
      { type: 'gap', topic, after: 3, oldest, reason: 'trimmed' },
    ]);
    expect(socket.events().map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, i) => oldest + i),
    );
    await socket.close();
  });

  it('F-26 F-29 the same goes for an event stream', async () => {
    const { person, head, oldest } = await trimmedTopic('cleo');
    const topic = 'human:cleo';
    const stream = await EventStream.open(daemon.url, `topic=${topic}`, {
      token: person.token,
      lastEventId: `${topic}=3`,
    });
    await until('the rest has come', () => stream.events().at(-1)?.seq === head);
    expect(stream.framesOf('gap')).toEqual([
      { type: 'gap', topic, after: 3, oldest, reason: 'trimmed' },
    ]);
    expect(stream.received.slice(0, 2).map(({ event, id }) => [event, id])).toEqual([
      ['stoa.subscribed', `${topic}=3`],
      ['stoa.gap', `${topic}=${String(oldest - 1)}`],
    ]);
    expect(stream.events().map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, i) => oldest + i),
    );
    stream.close();
  });

  it('F-26 a reader that has the last event before the oldest has no gap', async () => {
    const { person, head, oldest } = await trimmedTopic('dora');
    const socket = await LiveSocket.open(daemon.url, person);
    await socket.subscribe('human:dora', oldest - 1);
    await until('the rest has come', () => socket.events().at(-1)?.seq === head);
    expect(socket.framesOf('gap')).toEqual([]);
    await socket.close();
  });

  it('F-26 the log of a channel is kept whole, however long it is', async () => {
    await owner.post('/v1/channels', { channelId: 'whole', title: 'Whole' });
    const say = () => owner.post('/v1/channels/whole/messages', { text: 'x' });
    for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 10 }, say));
    await trimmedTopic('elis');
    const { json } = await owner.get<{ oldest: number; head: number }>(
      '/v1/topics/channel:whole/events',
    );
    expect(json).toMatchObject({ oldest: 1, head: 62 });
  });
});
