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

/** The interface of a topic reader, for every protocol. */
interface Follower {
  events(topic?: string): Stamped[];
  end(): void | Promise<void>;
}

describe.each(DAEMON_ENGINES)('following topics on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await directory.discard();
  });

  async function newChannel(channelId: string, messages: number): Promise<void> {
    await owner.post('/v1/channels', { channelId, title: channelId });
    await post(channelId, messages);
  }

  /** Several at a time: which of them comes first is all the same here. */
  async function post(channelId: string, messages: number): Promise<void> {
    let left = messages;
    const poster = async (): Promise<void> => {
      for (let i = left--; i > 0; i = left--) {
        const { status } = await owner.post(`/v1/channels/${channelId}/messages`, {
          text: `message ${String(i)}`,
        });
        expect(status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: 8 }, poster));
  }

  const log = async (topic: string, after: number): Promise<Stamped[]> =>
    (
      await owner.get<{ events: Stamped[] }>(
        `/v1/topics/${topic}/events?after=${String(after)}&limit=200`,
      )
    ).json.events;

  const followers: { name: string; follow: (topic: string, after: number) => Promise<Follower> }[] =
    [
      {
        name: 'WebSocket',
        async follow(topic, after) {
          const socket = await LiveSocket.open(daemon.url, daemon);
          await socket.subscribe(topic, after);
          return { events: (of) => socket.events(of), end: () => socket.close() };
        },
      },
      {
        name: 'SSE with Last-Event-ID',
        async follow(topic, after) {
          const stream = await EventStream.open(daemon.url, `topic=${topic}`, {
            token: daemon.token,
            lastEventId: `${topic}=${String(after)}`,
          });
          return {
            events: (of) => stream.events(of),
            end: () => {
              stream.close();
            },
          };
        },
      },
      {
        name: 'SSE with after',
        async follow(topic, after) {
          const stream = await EventStream.open(
            daemon.url,
            `topic=${topic}&after=${String(after)}`,
            daemon,
          );
          return {
            events: (of) => stream.events(of),
            end: () => {
              stream.close();
            },
          };
        },
      },
    ];

  describe.each(followers)('by $name', ({ name, follow }) => {
    const id = name.startsWith('SSE') ? 'F-29' : 'F-25';
    const channelId = `resume-${name.replaceAll(' ', '-').toLowerCase()}`;
    const topic = `channel:${channelId}`;

    beforeAll(() => newChannel(channelId, 250));

    it(`${id} a reader that comes back gets exactly what it missed, in order, and then what is new`, async () => {
      const reader = await follow(topic, 37);
      await post(channelId, 15);
      const head = 2 + 250 + 15;
      await until('everything has come', () => reader.events().at(-1)?.seq === head);
      expect(reader.events().map(({ seq }) => seq)).toEqual(
        Array.from({ length: head - 37 }, (_, i) => 38 + i),
      );
      expect(reader.events().slice(0, 200)).toEqual(await log(topic, 37));
      expect(reader.events().slice(-20)).toEqual(await log(topic, head - 20));
      await reader.end();
    });

    it(`${id} a reader that has everything gets only what is new`, async () => {
      const head = (await owner.get<{ headSeq: number }>(`/v1/channels/${channelId}`)).json.headSeq;
      const reader = await follow(topic, head);
      await post(channelId, 3);
      await until('the new ones have come', () => reader.events().length >= 3);
      expect(reader.events().map(({ seq }) => seq)).toEqual([head + 1, head + 2, head + 3]);
      await reader.end();
    });

    it(`${id} readers that come and go while others post miss nothing and see nothing twice`, async () => {
      const head = (await owner.get<{ headSeq: number }>(`/v1/channels/${channelId}`)).json.headSeq;
      const total = 60;
      const posting = post(channelId, total);
      const seen: number[] = [];
      let last = head;
      while (last < head + total) {
        const reader = await follow(topic, last);
        await until('something has come', () => reader.events().length > 0);
        await reader.end();
        seen.push(...reader.events().map(({ seq }) => seq));
        last = seen.at(-1) as number;
      }
      await posting;
      expect(seen).toEqual(Array.from({ length: total }, (_, i) => head + 1 + i));
    });
  });

  it('F-25 a reader that says no sequence starts from now', async () => {
    await newChannel('from-now', 10);
    const socket = await LiveSocket.open(daemon.url, daemon);
    const subscribed = await socket.subscribe('channel:from-now');
    expect(subscribed).toEqual({
      type: 'subscribed',
      topic: 'channel:from-now',
      after: 12,
      head: 12,
      oldest: 1,
    });
    await post('from-now', 1);
    await until('the new one has come', () => socket.events().length > 0);
    expect(socket.events().map(({ seq }) => seq)).toEqual([13]);
    await socket.close();
  });

  it('F-25 a reader that unsubscribed receives no more events, and can subscribe again', async () => {
    await newChannel('left', 0);
    const socket = await LiveSocket.open(daemon.url, daemon);
    await socket.subscribe('channel:left');
    socket.say({ type: 'unsubscribe', topic: 'channel:left' });
    await until('it is left', () => socket.framesOf('unsubscribed').length === 1);
    await post('left', 2);
    await socket.subscribe('channel:left', 3);
    await until('the rest has come', () => socket.events().length > 0);
    expect(socket.events().map(({ seq }) => seq)).toEqual([4]);
    await socket.close();
  });

  it('F-25 everybody sees the same events in the same order', async () => {
    await newChannel('same', 0);
    const sockets = await Promise.all(
      Array.from({ length: 4 }, () => LiveSocket.open(daemon.url, daemon)),
    );
    await Promise.all(sockets.map((socket) => socket.subscribe('channel:same', 0)));
    await Promise.all(Array.from({ length: 5 }, () => post('same', 8)));
    for (const socket of sockets) {
      await until('all has come', () => socket.events().length === 42);
      expect(socket.events()).toEqual(await log('channel:same', 0));
      await socket.close();
    }
  });

  it('F-29 one stream follows several topics, and its last id resumes all of them', async () => {
    await newChannel('left-hand', 5);
    await newChannel('right-hand', 5);
    const query = 'topic=channel:left-hand&topic=channel:right-hand&topic=human:owner';
    const first = await EventStream.open(daemon.url, query, {
      token: daemon.token,
      lastEventId: 'channel:left-hand=0,channel:right-hand=4',
    });
    await first.subscribed(3);
    await until('the past has come', () => first.events().length === 7 + 3);
    await post('left-hand', 1);
    await until('the new one has come', () => first.events('channel:left-hand').length === 8);
    const { lastEventId } = first;
    first.close();

    await post('right-hand', 2);
    await post('left-hand', 1);
    await owner.put('/v1/channels/left-hand/cursor', { readSeq: 2 });
    const second = await EventStream.open(daemon.url, query, {
      token: daemon.token,
      lastEventId: lastEventId ?? '',
    });
    await until('the rest has come', () => second.events().length === 4);
    expect(second.events('channel:left-hand').map(({ seq }) => seq)).toEqual([9]);
    expect(second.events('channel:right-hand').map(({ seq }) => seq)).toEqual([8, 9]);
    expect(second.events('human:owner').map(({ type }) => type)).toEqual(['read_cursor_moved']);
    second.close();
  });

  it('F-29 an event stream has a position in every topic before any of them had an event', async () => {
    await newChannel('early-a', 2);
    await newChannel('early-b', 1);
    const query = 'topic=channel:early-a&topic=channel:early-b';
    const first = await EventStream.open(daemon.url, query, daemon);
    await first.subscribed(2);
    first.close();
    const ids = first.received.map(({ id }) => id);
    expect(ids).toEqual(Array(2).fill('channel:early-a=4,channel:early-b=3'));

    await post('early-a', 1);
    await post('early-b', 1);
    const second = await EventStream.open(daemon.url, query, {
      token: daemon.token,
      lastEventId: ids[0] as string,
    });
    await until('what came meanwhile is here', () => second.events().length === 2);
    expect(second.events('channel:early-a').map(({ seq }) => seq)).toEqual([5]);
    expect(second.events('channel:early-b').map(({ seq }) => seq)).toEqual([4]);
    second.close();
  });

  it('F-29 an id of an event names its type and carries the event as the log has it', async () => {
    await newChannel('shape', 1);
    const stream = await EventStream.open(daemon.url, 'topic=channel:shape&after=0', daemon);
    await until('all has come', () => stream.events().length === 3);
    const events = stream.received.filter(({ event }) => !event.startsWith('stoa.'));
    expect(events.map(({ id, event }) => [id, event])).toEqual([
      ['channel:shape=1', 'channel_created'],
      ['channel:shape=2', 'member_joined'],
      ['channel:shape=3', 'message_posted'],
    ]);
    expect(stream.events()).toEqual(await log('channel:shape', 0));
    stream.close();
  });

  it('F-29 a stream of a topic that may not be followed is refused before it begins', async () => {
    const ada = await newPerson(daemon, 'ada');
    await expect(EventStream.open(daemon.url, 'topic=human:owner', ada)).rejects.toThrow('403');
    await expect(EventStream.open(daemon.url, 'topic=channel:nowhere', ada)).rejects.toThrow('404');
    await expect(EventStream.open(daemon.url, 'topic=nonsense', ada)).rejects.toThrow('404');
    await expect(
      EventStream.open(daemon.url, 'topic=channel:shape', {
        token: ada.token,
        lastEventId: 'channel:shape=x',
      }),
    ).rejects.toThrow('400');
  });
});
