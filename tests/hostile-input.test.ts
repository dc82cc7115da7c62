import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Channel, LIMITS, type Message } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  DAEMON_ENGINES,
  LiveSocket,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const MESSAGES = '/v1/channels/lobby/messages';
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe.each(DAEMON_ENGINES)('hostile input on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let before: unknown;
  let defectsBefore: string[];

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await directory.discard();
  });

  /** Everything that such input could have left behind. */
  async function stored(): Promise<unknown> {
    const channels = await owner.get<{ channels: Channel[] }>(
      '/v1/channels?archived=include&limit=200',
    );
    const log = await owner.get<{ head: number }>('/v1/topics/channel:lobby/events?limit=1');
    const members = await owner.get('/v1/channels/lobby/members');
    const tokens = await owner.get('/v1/tokens');
    return [channels.json, log.json.head, members.json, tokens.json];
  }

  const defects = (): string[] =>
    daemon
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('hit a defect'));

  beforeEach(async () => {
    before = await stored();
    defectsBefore = defects();
  });
  afterEach(async () => {
    expect(await stored()).toEqual(before);
    expect((await call(daemon.url, 'GET', '/readyz')).status).toBe(200);
    expect(defects()).toEqual(defectsBefore);
  });

  const json = { 'content-type': 'application/json' };
  const sendRaw = (raw: string | Uint8Array, path = MESSAGES) =>
    call(daemon.url, 'POST', path, { token: daemon.token, raw, headers: json });

  async function refused(
    answer: Promise<{ status: number; json: Record<string, unknown> }>,
    status: number,
    code: string,
  ) {
    const got = await answer;
    expect([got.status, got.json['code']]).toEqual([status, code]);
  }

  it('F-24 a body over the limit of its route gets 413', async () => {
    const tooLong = JSON.stringify({ title: 'x'.repeat(256 * 1024) });
    await refused(sendRaw(tooLong, '/v1/channels'), 413, 'payload_too_large');
    const testChannel = Math.ceil(LIMITS.assetBytes / 3) * 4 + 1024 * 1024;
    await refused(sendRaw(Buffer.alloc(testChannel + 1, 32)), 413, 'payload_too_large');
    await refused(
      call(daemon.url, 'POST', '/v1/assets', {
        token: daemon.token,
        raw: Buffer.alloc(LIMITS.assetBytes + 1),
      }),
      413,
      'payload_too_large',
    );
  });

  it('F-24 a body that does not say how long it is gets 413 when it grows over the limit', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const sending = request(
        `${daemon.url}/v1/channels`,
        {
          method: 'POST',
          agent: false,
          headers: { ...json, authorization: `Bearer ${daemon.token}` },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sending.on('error', reject);
      for (let i = 0; i < 5; i++) sending.write(Buffer.alloc(64 * 1024, 32));
      sending.end();
    });
    expect(status).toBe(413);
  });

  it('F-24 text of one character more than a message takes gets 400', async () => {
    await refused(
      owner.post(MESSAGES, { text: 'x'.repeat(LIMITS.textChars + 1) }),
      400,
      'invalid_request',
    );
    await refused(owner.post(MESSAGES, { text: '' }), 400, 'invalid_request');
  });

  it.each([
    ['a bomb of brackets', deep(100_000)],
    ['a bomb of braces', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['an unfinished bomb', '['.repeat(200_000)],
    ['one level too many', `{"text":"x","metadata":{"a":${deep(LIMITS.jsonDepth - 1)}}}`],
  ])('F-24 %s gets 400', async (_, raw) => {
    await refused(sendRaw(raw), 400, 'too_deep');
  });

  it.each([
    ['a stray byte', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate written in UTF-8', [0xed, 0xa0, 0x80]],
    ['a character cut in half', [0xe2, 0x82]],
    ['a code point past the last', [0xf4, 0x90, 0x80, 0x80]],
  ])('F-24 %s, which is not UTF-8, gets 400', async (_, bytes) => {
    const raw = Buffer.concat([Buffer.from('{"text":"'), Buffer.from(bytes), Buffer.from('"}')]);
    await refused(sendRaw(raw), 400, 'invalid_text');
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeff{"text":"x"}', 'utf16le'), 'invalid_text'],
    ['gzip', gzipSync('{"text":"x"}'), 'invalid_text'],
  ])('F-24 JSON in %s gets 400', async (_, raw, code) => {
    await refused(sendRaw(raw), 400, code);
  });

  it.each([
    ['a NUL in the text', '{"text":"a\\u0000b"}'],
    ['a NUL in the metadata', '{"text":"x","metadata":{"a":["\\u0000"]}}'],
    ['a NUL in a key', '{"text":"x","metadata":{"a\\u0000":1}}'],
    ['half a pair', '{"text":"\\ud83d"}'],
    ['the other half', '{"text":"\\ude00 x"}'],
    ['two halves in the wrong order', '{"text":"\\ude00\\ud83d"}'],
    ['half a pair in upper case', '{"text":"\\uD83D"}'],
    ['half a pair in a key', '{"text":"x","metadata":{"\\ud800":1}}'],
  ])('F-24 %s gets 400', async (_, raw) => {
    await refused(sendRaw(raw), 400, 'invalid_text');
  });

  it.each([
    ['nothing', '', 'invalid_request'],
    ['half a body', '{"text":"x"', 'invalid_json'],
    ['more than a body', '{"text":"x"} {}', 'invalid_json'],
    ['a bare NUL', '{"text":"a\u0000b"}', 'invalid_json'],
    ['NaN', '{"text":"x","metadata":{"n":NaN}}', 'invalid_json'],
    ['null', 'null', 'invalid_request'],
    ['a list', '[{"text":"x"}]', 'invalid_request'],
    ['a string', '"text"', 'invalid_request'],
    ['a number for text', '{"text":5}', 'invalid_request'],
  ])('F-24 %s gets 400', async (_, raw, code) => {
    await refused(sendRaw(raw), 400, code);
  });

  it.each([
    ['in metadata', '{"text":"x","metadata":{"n":1e999}}'],
    ['in a list in metadata', '{"text":"x","metadata":{"n":[-1e999]}}'],
  ])('F-24 a number too large to be kept %s gets 400', async (_, raw) => {
    await refused(sendRaw(raw), 400, 'invalid_request');
  });

  it.each(['1e999', '-1', '1.5', '9007199254740993', '"1"', 'true', '[1]'])(
    'F-24 %s is not a sequence',
    async (number) => {
      const sent = call(daemon.url, 'PUT', '/v1/channels/lobby/cursor', {
        token: daemon.token,
        raw: `{"readSeq":${number}}`,
        headers: json,
      });
      await refused(sent, 400, 'invalid_request');
    },
  );

  it.each(['__proto__', 'constructor', 'prototype'])(
    'F-24 the key %s gets 400, at every depth',
    async (key) => {
      for (const metadata of [`{"${key}":1}`, `{"a":[{"b":{"${key}":{"polluted":true}}}]}`]) {
        await refused(sendRaw(`{"text":"x","metadata":${metadata}}`), 400, 'invalid_metadata');
        await refused(
          sendRaw(`{"title":"x","metadata":${metadata}}`, '/v1/channels'),
          400,
          'invalid_metadata',
        );
        await refused(
          sendRaw(`{"metadata":${metadata}}`, '/v1/channels/lobby/members'),
          400,
          'invalid_metadata',
        );
      }
      await refused(sendRaw(`{"text":"x","${key}":{"polluted":true}}`), 400, 'invalid_request');
    },
  );

  it.each(['%00', 'a%00b', '%ff', '%ED%A0%80', '%', '%E0%A4%A'])(
    'F-24 %s in a path or a query gets 400',
    async (text) => {
      for (const path of [
        `/v1/channels/${text}`,
        `/v1/channels/lobby/messages/${text}`,
        `/v1/topics/${text}/events`,
      ]) {
        expect((await owner.get(path)).status, path).toBe(400);
      }
      for (const path of [
        `/v1/channels?query=${text}`,
        `/v1/search?query=${text}`,
        `/v1/search?query=x&channelId=${text}`,
        `/v1/search?query=x&${text}=x`,
        `/v1/events?topic=${text}`,
        `/v1/events?topic=channel:lobby&after=${text}`,
      ]) {
        await refused(owner.get(path), 400, 'invalid_text');
      }
      const named = `/v1/assets?name=${text}`;
      const sent = call(daemon.url, 'POST', named, { token: daemon.token, raw: 'bytes' });
      await refused(sent, 400, 'invalid_text');
    },
  );

  it.each([
    '"',
    '*',
    '-',
    '(',
    'NEAR(a b)',
    "' OR 1=1 --",
    'a AND OR NOT',
    '%',
    '\\',
    ':',
    'col:x',
    '😀',
    'ﷺ'.repeat(50),
  ])('F-24 a search for %s is a search like any other', async (query) => {
    const { status } = await owner.get(`/v1/search?query=${encodeURIComponent(query)}`);
    expect(status).toBe(200);
    expect((await owner.get(`/v1/channels?query=${encodeURIComponent(query)}`)).status).toBe(200);
  });

  it('F-24 nonsense on a live stream is answered with a code and costs nobody their stream', async () => {
    const socket = await LiveSocket.open(daemon.url, daemon);
    const nonsense: [string | Uint8Array, string][] = [
      ['{', 'invalid_json'],
      [Buffer.from([0xff, 0x00]), 'invalid_json'],
      ['null', 'invalid_request'],
      [deep(5_000), 'invalid_request'],
      ['{"type":"subscribe"}', 'invalid_request'],
      ['{"type":"subscribe","topic":"channel:lobby","after":-1}', 'invalid_request'],
      ['{"type":"subscribe","topic":"channel:lobby","after":1e999}', 'invalid_request'],
      ['{"type":"subscribe","topic":"channel:lobby","as":"human:owner"}', 'invalid_request'],
      ['{"type":"subscribe","topic":"channel:../../etc"}', 'invalid_request'],
      ['{"type":"subscribe","topic":"channel:nowhere"}', 'channel_not_found'],
      ['{"type":"subscribe","topic":"human:somebody-else"}', 'forbidden'],
      ['{"type":"become","topic":"human:owner"}', 'invalid_request'],
    ];
    for (const [text] of nonsense) socket.sayRaw(text);
    await until('all of it is answered', () => socket.frames.length === nonsense.length);
    expect(socket.framesOf('error').map(({ code }) => code)).toEqual(
      nonsense.map(([, code]) => code),
    );
    await socket.subscribe('channel:lobby');
    await socket.close();
  });

  it('F-24 a request on a live stream that is too long ends that stream and no other', async () => {
    const other = await LiveSocket.open(daemon.url, daemon);
    const socket = await LiveSocket.open(daemon.url, daemon);
    socket.sayRaw('x'.repeat(64 * 1024));
    expect((await socket.ended()).code).toBe(1009);
    await other.subscribe('channel:lobby');
    await other.close();
  });

  it('takes the same things where they are harmless', async () => {
    const text = 'brackets in text [[[[ are fine: "quoted \\" {" \u{1f600} \ud7ff \ue000 \uffff';
    const metadata = {
      nested: JSON.parse(deep(LIMITS.jsonDepth - 2)) as unknown,
      big: Number.MAX_VALUE,
      odd: -0.5,
      'key with spaces': null,
    };
    const posted = await owner.post<Message>(MESSAGES, { text, metadata });
    expect(posted.status).toBe(201);
    const read = await owner.get<Message>(`${MESSAGES}/${posted.json.messageId}`);
    expect(read.json.inputItems).toEqual([{ type: 'text', text }]);
    expect(read.json.metadata).toEqual(metadata);
    before = await stored();
  });
});
