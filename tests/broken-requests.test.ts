import { connect } from 'node:net';
import type { Status } from '@stoa/protocol';
import { call, callerOf, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const JSON_TYPE = 'Content-Type: application/json';

describe('a request that is not HTTP as it should be', () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  /** Sends bytes as they are, and reads until the daemon ends the connection. */
  function send(line: string, headers: string[], body = ''): Promise<string> {
    const known = [
      `Host: 127.0.0.1:${String(daemon.port)}`,
      `Authorization: Bearer ${daemon.token}`,
    ];
    return new Promise((resolve, reject) => {
      const socket = connect(daemon.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('close', () => {
        resolve(text);
      });
      socket.on('error', reject);
      socket.write([line, ...known, ...headers, '', body].join('\r\n'));
    });
  }

  it.each([
    ['no HTTP at all', 'what is this', [], 400, 'invalid_request'],
    ['a header without a colon', 'GET /healthz HTTP/1.1', ['nonsense'], 400, 'invalid_request'],
    [
      'headers of 20 KB',
      'GET /healthz HTTP/1.1',
      [`X: ${'y'.repeat(20_000)}`],
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      'POST /v1/channels HTTP/1.1',
      [JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3'],
      400,
      'invalid_request',
    ],
    [
      'a length and chunks',
      'POST /v1/channels HTTP/1.1',
      [JSON_TYPE, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
      400,
      'invalid_request',
    ],
    [
      'a path that cannot be decoded',
      'GET /v1/channels/%zz HTTP/1.1',
      ['Connection: close'],
      400,
      'invalid_request',
    ],
    [
      'a parameter of 300 characters',
      `GET /v1/channels/${'x'.repeat(300)} HTTP/1.1`,
      ['Connection: close'],
      400,
      'invalid_request',
    ],
    ['an upgrade of a path that is none', 'GET // HTTP/1.1', UPGRADE, 404, 'route_not_found'],
    ['an upgrade of half an address', 'GET http://[ HTTP/1.1', UPGRADE, 404, 'route_not_found'],
    ['an upgrade of another path', 'GET /v1/status HTTP/1.1', UPGRADE, 404, 'route_not_found'],
    [
      'an upgrade to another protocol',
      'GET /v1/status HTTP/1.1',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      400,
      'invalid_request',
    ],
    [
      'an upgrade without a key',
      'GET /v1/stream HTTP/1.1',
      UPGRADE.filter((line) => !line.startsWith('Sec-WebSocket-Key')),
      400,
      'invalid_request',
    ],
  ] as [string, string, string[], number, string][])(
    'F-24 %s is answered with a code and costs nothing',
    async (_, line, headers, status, code) => {
      const answer = await send(line, headers);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
      expect(answer).toMatch(/^content-type: application\/problem\+json/im);
      const [, body] = answer.split('\r\n\r\n');
      expect(JSON.parse(body ?? '')).toMatchObject({ code, status });
      expect((await call(daemon.url, 'GET', '/readyz')).status).toBe(200);
      expect(daemon.output().stderr).not.toContain('defect');
    },
  );

  it('says what to do instead of an upgrade to another protocol', async () => {
    const answer = await send('GET /v1/status HTTP/1.1', ['Connection: Upgrade', 'Upgrade: h2c']);
    expect(answer).toContain('without an Upgrade header');
  });
});

describe('requests sent one behind the other', () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startDaemon();
    const owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  const streams = async (): Promise<number> =>
    (await callerOf(daemon.url, daemon.token).get<Status>('/v1/status')).json.streams;

  function pipelined(...paths: string[]) {
    const socket = connect(daemon.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    const lines = paths.flatMap((path) => [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${String(daemon.port)}`,
      `Authorization: Bearer ${daemon.token}`,
      '',
    ]);
    socket.write([...lines, ''].join('\r\n'));
    return { text: () => text, end: () => socket.destroy() };
  }

  const stream = '/v1/events?topic=channel:lobby';

  it('get one event stream a connection, and none is left when the connection ends', async () => {
    const connection = pipelined(stream, stream, stream);
    await until('one of them is served', () => connection.text().includes('stoa.subscribed'));
    await callerOf(daemon.url, daemon.token).post('/v1/channels/lobby/messages', { text: 'one' });
    await until('it gets events', () => connection.text().includes('message_posted'));
    expect(await streams()).toBe(1);
    expect(connection.text().match(/HTTP\/1\.1 /g)).toHaveLength(1);
    connection.end();
    await until('none is left', async () => (await streams()) === 0);
    const again = pipelined(stream);
    await until('the next is served', () => again.text().includes('stoa.subscribed'));
    again.end();
    expect(daemon.output().stderr).not.toContain('TypeError');
  });

  it('get the event stream when it is its turn', async () => {
    const connection = pipelined('/v1/channels', '/healthz', stream);
    await until('it is served', () => connection.text().includes('stoa.subscribed'));
    expect(connection.text().match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    connection.end();
    await until('none is left', async () => (await streams()) === 0);
  });
});
