import { callerOf, LiveSocket, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SUBSCRIBERS = 500;

describe('one channel and many who follow it', () => {
  let daemon: TestDaemon;
  let sockets: LiveSocket[] = [];

  beforeAll(async () => {
    daemon = await startDaemon();
    await callerOf(daemon.url, daemon.token).post('/v1/channels', {
      channelId: 'plaza',
      title: 'Plaza',
    });
    sockets = await Promise.all(
      Array.from({ length: SUBSCRIBERS }, () => LiveSocket.open(daemon.url, daemon)),
    );
  });
  afterAll(async () => {
    for (const socket of sockets) socket.terminate();
    await daemon.cleanUp();
  });

  it('F-28 each of 500 subscribers sees one post, once', async () => {
    const owner = callerOf(daemon.url, daemon.token);
    await Promise.all(sockets.map((socket) => socket.subscribe('channel:plaza')));
    expect((await owner.get('/v1/status')).json).toMatchObject({ streams: SUBSCRIBERS });

    const posted = await owner.post('/v1/channels/plaza/messages', { text: 'to all' });
    // A second one comes after the first on every stream: who has it has all there is of the first.
    const marker = await owner.post('/v1/channels/plaza/messages', { text: 'that was all' });
    await until('everybody has both', () => sockets.every((socket) => socket.events().length >= 2));
    for (const socket of sockets) {
      expect(socket.events().map(({ data }) => (data as { messageId: string }).messageId)).toEqual([
        posted.json['messageId'],
        marker.json['messageId'],
      ]);
    }
  });
});
