import { describe, expect, it } from 'vitest';
import { createClient } from '../client.js';
import { ConnectionLost } from '../http/transport.js';

describe('why a stream did not open', () => {
  it('is asked once per attempt, and not again until somebody answers', async () => {
    let asked = 0;
    const client = createClient({
      baseUrl: 'http://stoa',
      transport: () => {
        asked += 1;
        return Promise.reject(new ConnectionLost('nobody is there', false));
      },
      openSocket: (_, __, handlers) => {
        setTimeout(() => handlers.closed());
        return { send: () => undefined, close: () => undefined };
      },
    });
    await new Promise<void>((resolve) => {
      const onNotice = (): void => resolve();
      void client.follow('channel:a', { onNotice }).next();
    });
    expect(asked).toBe(1);
    client.close();
  });
});
