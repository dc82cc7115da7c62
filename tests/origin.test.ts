import { connect } from 'node:net';
import { call, EventStream, LiveSocket, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('a request that may come from a browser', () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startDaemon({ config: 'allowedHosts: [stoa.internal]\n' });
    await call(daemon.url, 'POST', '/v1/channels', {
      token: daemon.token,
      body: { channelId: 'lobby', title: 'Lobby' },
    });
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  const withPort = (text: string): string => text.replace('PORT', String(daemon.port));

  /** Every way to reach data: a read, a write, a page, both kinds of stream. */
  async function outcomes(headers: Record<string, string>) {
    const { token, url } = daemon;
    const refused = (error: unknown) => String((error as { status?: number }).status ?? error);
    const socket = await LiveSocket.open(url, { token, headers }).then(async (open) => {
      await open.close();
      return '101';
    }, refused);
    const stream = await EventStream.open(url, 'topic=channel:lobby', { token, headers }).then(
      (open) => {
        open.close();
        return '200';
      },
      (error: unknown) => /\d+/.exec(String(error))?.[0],
    );
    const read = await call(url, 'GET', '/v1/whoami', { token, headers });
    const write = await call(url, 'POST', '/v1/channels/lobby/messages', {
      token,
      headers,
      body: { text: 'x' },
    });
    const page = await call(url, 'GET', '/', { headers });
    return {
      answers: [read, write, page],
      statuses: [read.status, write.status, page.status, Number(socket), Number(stream)],
    };
  }

  const messages = async () =>
    (
      await call<{ messages: unknown[] }>(
        daemon.url,
        'GET',
        '/v1/channels/lobby/messages?limit=200',
        { token: daemon.token },
      )
    ).json.messages;

  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1.evil.example:PORT',
    '0.0.0.0:PORT',
    'user@127.0.0.1:PORT',
  ])('F-19 is refused when Host is %s', async (host) => {
    const before = await messages();
    const { statuses, answers } = await outcomes({ host: withPort(host) });
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
    for (const { json } of answers) expect(json).toMatchObject({ code: 'host_not_allowed' });
    expect(await messages()).toEqual(before);
  });

  it('F-19 is refused when it has no Host at all', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(daemon.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      socket.on('close', () => {
        resolve(text);
      });
      socket.on('error', reject);
      socket.end('GET /healthz HTTP/1.0\r\n\r\n');
    });
    expect(answer).toContain(' 403 ');
    expect(answer).toContain('host_not_allowed');
  });

  it.each([
    'http://evil.example',
    'http://evil.example:PORT',
    'null',
    'http://127.0.0.1:1',
    'http://127.0.0.1',
    'file://127.0.0.1:PORT',
    'http://127.0.0.1:PORT.evil.example',
    '',
  ])('F-19 is refused when Origin is %j', async (origin) => {
    const before = await messages();
    const { statuses, answers } = await outcomes({ origin: withPort(origin) });
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
    for (const { json } of answers) expect(json).toMatchObject({ code: 'origin_not_allowed' });
    expect(await messages()).toEqual(before);
  });

  it.each(['cross-site', 'same-site'])(
    'F-19 is refused when the browser calls it %s',
    async (site) => {
      const before = await messages();
      const { statuses, answers } = await outcomes({ 'sec-fetch-site': site });
      expect(statuses).toEqual([403, 403, 403, 403, 403]);
      for (const { json } of answers) expect(json).toMatchObject({ code: 'origin_not_allowed' });
      expect(await messages()).toEqual(before);
    },
  );

  const FOLLOWED = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it.each(['cross-site', 'same-site'])(
    'F-19 that follows a link to a page from %s gets the page, and everything else is refused',
    async (site) => {
      const before = await messages();
      const headers = { ...FOLLOWED, 'sec-fetch-site': site };
      const { statuses } = await outcomes(headers);
      expect(statuses).toEqual([403, 403, 200, 403, 403]);
      const link = await call(daemon.url, 'POST', '/v1/login-codes', { token: daemon.token });
      const { code } = link.json as { code: string };
      for (const path of [`/login?code=${code}`, '/assets/x.js', '/nowhere', '/healthz']) {
        expect((await call(daemon.url, 'GET', path, { headers })).status, path).toBe(403);
      }
      for (const path of ['/', '/c/lobby', '/settings/agents?x=%22%3E']) {
        const page = await call(daemon.url, 'GET', path, { headers });
        expect(page.status).toBe(200);
        expect(page.headers['content-security-policy']).toContain("default-src 'none'");
        expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
        expect(page.text).toBe((await call(daemon.url, 'GET', path)).text);
      }
      expect(await messages()).toEqual(before);
    },
  );

  it.each([
    { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'document' },
    { ...FOLLOWED, origin: 'http://evil.example' },
  ])('F-19 to a page from another site is refused if it is not a link: %j', async (headers) => {
    const { statuses } = await outcomes({ 'sec-fetch-site': 'cross-site', ...headers });
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
  });

  it('F-19 is taken when everything about it is ours', async () => {
    const ours: Record<string, string>[] = [
      { host: withPort('127.0.0.1:PORT') },
      { host: withPort('localhost:PORT'), origin: withPort('http://localhost:PORT') },
      { host: withPort('LOCALHOST:PORT'), origin: withPort('http://LOCALHOST:PORT') },
      { host: withPort('[::1]:PORT') },
      { host: withPort('127.0.0.1:PORT'), origin: daemon.url, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { host: 'stoa.internal', origin: 'https://stoa.internal' },
    ];
    for (const headers of ours) {
      expect((await outcomes(headers)).statuses, JSON.stringify(headers)).toEqual([
        200, 201, 200, 101, 200,
      ]);
    }
  });

  it.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    undefined,
  ])('F-20 that carries JSON as %s gets 415 and stores nothing', async (type) => {
    const before = await messages();
    for (const path of ['/v1/channels', '/v1/channels/lobby/messages', '/v1/checks']) {
      const { status, json } = await call(daemon.url, 'POST', path, {
        token: daemon.token,
        raw: JSON.stringify({ title: 'Smuggled', text: 'smuggled' }),
        headers: type === undefined ? {} : { 'content-type': type },
      });
      expect(status).toBe(415);
      expect(json).toMatchObject({ code: 'unsupported_media_type' });
    }
    expect(await messages()).toEqual(before);
  });

  it('F-20 gets no CORS header for any request', async () => {
    const preflight = {
      origin: daemon.url,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const { token } = daemon;
    const answers = [
      await call(daemon.url, 'OPTIONS', '/v1/channels', { headers: preflight }),
      await call(daemon.url, 'OPTIONS', '/v1/channels', { token, headers: preflight }),
      await call(daemon.url, 'GET', '/v1/whoami', { token, headers: { origin: daemon.url } }),
      await call(daemon.url, 'GET', '/v1/whoami', {
        token,
        headers: { origin: 'http://evil.example' },
      }),
      await call(daemon.url, 'GET', '/', { headers: { origin: daemon.url } }),
      await call(daemon.url, 'GET', '/v1/nowhere', { token, headers: { origin: daemon.url } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 200, 403, 200, 404]);
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });
});
