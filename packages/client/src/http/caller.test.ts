import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../client.js';
import { StoaProblem } from '../problem.js';
import { fetchTransport } from './fetch-transport.js';
import { nodeTransport } from './node-transport.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Reply = (response: http.ServerResponse) => void;

const json =
  (status: number, body: unknown): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const hangUp: Reply = (response) => response.destroy();
const problem = (status: number, code: string): Reply =>
  json(status, {
    type: `urn:stoa:error:${code}`,
    title: code,
    status,
    code,
    detail: `it is ${code}`,
  });

describe.each([
  ['nodeTransport', nodeTransport()],
  ['fetchTransport', fetchTransport],
])('calls over %s', (_, transport) => {
  let server: http.Server;
  let seen: Seen[];
  let replies: Reply[];
  let client: Client;

  beforeEach(async () => {
    seen = [];
    replies = [];
    server = http.createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push({ method: request.method, url: request.url, headers: request.headers, body });
        (replies.shift() ?? problem(500, 'internal'))(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = clientFor((server.address() as AddressInfo).port);
  });

  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function clientFor(port: number): Client {
    return createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      token: 'secret',
      transport,
      retry: { firstMs: 1, longestMs: 2 },
    });
  }

  it('sends the token and JSON, and returns the answer', async () => {
    replies = [json(201, { messageId: 'msg_1' })];
    expect(await client.messages.post('general', 'héllo')).toEqual({ messageId: 'msg_1' });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/v1/channels/general/messages',
      body: '{"text":"héllo"}',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
  });

  it('sends the body of a DELETE', async () => {
    replies = [json(200, {})];
    await client.messages.unreact('general', 'msg_1', '👍');
    expect(seen[0]).toMatchObject({ method: 'DELETE', body: '{"emoji":"👍"}' });
  });

  it('posts again under the same key when the answer is lost', async () => {
    replies = [hangUp, problem(503, 'storage_unavailable'), json(201, { messageId: 'msg_1' })];
    await client.messages.post('general', 'once');
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('generates another key for another post, and uses a given one', async () => {
    replies = [json(201, {}), json(201, {}), json(201, {})];
    await client.messages.post('general', 'a');
    await client.messages.post('general', 'a');
    await client.messages.post('general', 'a', { idempotencyKey: 'mine' });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('does not repeat a call that could do its work twice', async () => {
    replies = [hangUp, json(201, {})];
    const minted = client.tokens.mint({ humanId: 'bob', name: 'laptop' });
    await expect(minted).rejects.toMatchObject({ code: 'daemon_unreachable', status: 503 });
    expect(seen).toHaveLength(1);
  });

  it('gives up after its attempts', async () => {
    replies = Array.from({ length: 9 }, () => problem(503, 'shutting_down'));
    await expect(client.status()).rejects.toMatchObject({ code: 'shutting_down', status: 503 });
    expect(seen).toHaveLength(4);
  });

  it('turns problem+json into a StoaProblem with its code and issues', async () => {
    const issues = [{ path: 'text', message: 'too long' }];
    replies = [json(400, { code: 'invalid_request', detail: 'no', issues, status: 400 })];
    const failure = await client.messages.post('general', 'x').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoaProblem);
    expect(failure).toMatchObject({ code: 'invalid_request', status: 400, detail: 'no', issues });
  });

  it('reports an answer that is not from a Stoa daemon', async () => {
    replies = [
      (response) => response.end('<html>hello</html>'),
      (response) => response.writeHead(404).end('<html>hello</html>'),
    ];
    for (let each = 0; each < 2; each += 1) {
      await expect(client.whoami()).rejects.toMatchObject({
        code: 'daemon_unreachable',
        detail: expect.stringContaining('not a Stoa daemon') as string,
      });
    }
  });

  it('reports that nothing listens', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(clientFor(port).status()).rejects.toMatchObject({
      code: 'daemon_unreachable',
      detail: `no daemon answers at http://127.0.0.1:${port}`,
    });
    const plain = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      transport,
      retry: { attempts: 1 },
      unreachableText: 'Nobody is there',
    });
    await expect(plain.status()).rejects.toMatchObject({
      code: 'daemon_unreachable',
      detail: 'Nobody is there',
    });
  });

  it('rejects with the reason of an aborted signal and does not try again', async () => {
    const controller = new AbortController();
    replies = [() => controller.abort(new Error('enough'))];
    await expect(client.status({ signal: controller.signal })).rejects.toThrow('enough');
    expect(seen).toHaveLength(1);
  });

  it('treats silence beyond the time limit as a lost connection', async () => {
    const { port } = server.address() as AddressInfo;
    const impatient = createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      transport,
      timeoutMs: 50,
      retry: { attempts: 1 },
    });
    replies = [() => undefined];
    await expect(impatient.status()).rejects.toMatchObject({ code: 'daemon_unreachable' });
  });

  it('carries the bytes of assets both ways', async () => {
    const bytes = new Uint8Array([0, 255, 128, 10]);
    replies = [json(201, { assetId: 'ast_1' }), (response) => response.end(bytes)];
    await client.assets.upload(bytes, { name: 'ä.bin' });
    expect(seen[0]).toMatchObject({
      url: '/v1/assets?name=%C3%A4.bin',
      headers: { 'content-type': 'application/octet-stream', 'content-length': '4' },
    });
    expect(Array.from(await client.assets.raw('ast_1'))).toEqual(Array.from(bytes));
  });

  it('pages forward from a position, and back from the end', async () => {
    const page = (seqs: number[], hasMore: boolean): Reply =>
      json(200, { messages: seqs.map((seq) => ({ seq })), hasMore });
    replies = [page([3, 4], true), page([5], false), page([4, 5], true), page([2, 3], false)];
    const read = async (query: { after?: number }): Promise<number[]> => {
      const seqs: number[] = [];
      for await (const messages of client.messages.pages('general', query)) {
        seqs.push(...messages.map(({ seq }) => seq));
      }
      return seqs;
    };
    expect(await read({ after: 2 })).toEqual([3, 4, 5]);
    expect(await read({})).toEqual([4, 5, 2, 3]);
    expect(seen.map(({ url }) => url?.split('?')[1])).toEqual([
      'after=2',
      'after=4',
      undefined,
      'before=4',
    ]);
  });
});
