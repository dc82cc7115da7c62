import { once } from 'node:events';
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('the OpenAPI document of a daemon', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(() => daemon.cleanUp());

  /** Without a client that decompresses by itself. */
  async function fetchDocument(headers: Record<string, string>) {
    const [response] = (await once(
      get(`${daemon.url}/v1/openapi.json`, { headers }),
      'response',
    )) as [import('node:http').IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { headers: response.headers, body: Buffer.concat(chunks) };
  }

  it('DU-91 is compressed for clients that accept gzip, and plain for others', async () => {
    const plain = await fetchDocument({});
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(plain.body.toString('utf8'))).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/' }],
      components: { schemas: { Channel: { type: 'object' }, Message: { type: 'object' } } },
    });
    const zipped = await fetchDocument({ 'accept-encoding': 'br, gzip;q=0.8' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(zipped.body.length).toBeLessThan(plain.body.length / 4);
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    const refused = await fetchDocument({ 'accept-encoding': 'gzip;q=0, identity' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });
});
