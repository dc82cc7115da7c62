import { createHmac } from 'node:crypto';
import type { Observation, ObservationSourceWithSecret, Stimulus } from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol';
import {
  type CallAnswer,
  type Caller,
  call,
  callerOf,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, ownerOf } from './stoa-command.js';

describe('observations, from outside', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let sent = 0;

  beforeAll(async () => {
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'room', title: 'Room' });
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  const newSource = async (more: object = {}): Promise<ObservationSourceWithSecret> => {
    const body = { channelId: 'room', title: 'Disks', ...more };
    const made = await owner.post<ObservationSourceWithSecret>('/v1/observation-sources', body);
    expect(made.status, made.text).toBe(201);
    return made.json;
  };
  const send = (
    { source, secret }: ObservationSourceWithSecret,
    raw: string | Buffer,
    { headers = {}, at = Date.now() }: { headers?: Record<string, string>; at?: number } = {},
  ): Promise<CallAnswer<Observation & { code?: string; detail?: string }>> => {
    sent += 1;
    const time = String(Math.floor(at / 1_000));
    const v1 = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex');
    return call(daemon.url, 'POST', `/v1/observations/${source.sourceId}`, {
      raw,
      headers: {
        'content-type': 'application/json',
        'stoa-signature': `t=${time},v1=${v1}`,
        'stoa-delivery': `delivery-${String(sent)}`,
        ...headers,
      },
    });
  };

  it('C-41 a signed request without a token is posted, and twice the same delivery once', async () => {
    const source = await newSource();
    const { sourceId } = source.source;
    const headers = { 'stoa-delivery': 'the-same' };
    const first = await send(source, '{"text":"disk 91% full"}', { headers });
    expect(first.status, first.text).toBe(201);
    const again = await send(source, '{"text":"disk 91% full"}', {
      headers,
      at: Date.now() + 2_000,
    });
    expect([again.status, again.json]).toEqual([201, first.json]);
    const stimulus = await until('it is posted', async () => {
      const path = `/v1/channels/room/stimuli/${first.json.stimulusId}`;
      const { json: found } = await owner.get<Stimulus>(path);
      return found.state === 'dispatched' ? found : undefined;
    });
    expect(stimulus).toMatchObject({ content: 'disk 91% full', sourceRef: sourceId });
    const path = `/v1/observation-sources/${sourceId}/observations`;
    expect((await owner.get(path)).json).toEqual({ observations: [first.json] });
    expect(first.json).not.toHaveProperty('proof');
  });

  it('C-41 to a stranger an unknown source, one that is off and a wrong signature are the same', async () => {
    const source = await newSource();
    const { sourceId } = source.source;
    const unknown = { ...source, source: { ...source.source, sourceId: `src_${'0'.repeat(26)}` } };
    const answers = [
      await send({ ...source, secret: 'guessed' }, 'x'),
      await send(unknown, 'x'),
      await send(source, 'x', { at: Date.now() - LIMITS.observationSkewMs - 5_000 }),
      await send(source, 'x', { headers: { 'stoa-signature': 'v1=nothing' } }),
      await send(source, Buffer.from('x'), {
        headers: { authorization: `Bearer ${daemon.token}`, 'stoa-signature': '' },
      }),
    ];
    await owner.patch(`/v1/observation-sources/${sourceId}`, { enabled: false });
    answers.push(await send(source, 'x'));
    await owner.patch(`/v1/observation-sources/${sourceId}`, { enabled: true });
    const rotated = await owner.post<ObservationSourceWithSecret>(
      `/v1/observation-sources/${sourceId}/rotate`,
    );
    answers.push(await send(source, 'x'));
    const [first] = answers;
    expect(first?.json.code).toBe('observation_refused');
    for (const { status, text } of answers) expect([status, text]).toEqual([401, first?.text]);
    expect((await send(rotated.json, 'x')).status).toBe(201);
    expect((await owner.delete(`/v1/observation-sources/${sourceId}`)).status).toBe(204);
    expect((await send(rotated.json, 'y')).text).toBe(first?.text);
    const gone = await owner.get<{ code: string }>(`/v1/observation-sources/${sourceId}`);
    expect([gone.status, gone.json.code]).toEqual([404, 'source_not_found']);
  });

  it('C-41 what does not fit is refused with a code, and a source that tells too much', async () => {
    await owner.post('/v1/channels', {
      channelId: 'busy',
      title: 'Busy',
      autonomyPolicy: { maxPendingStimuli: 100 },
    });
    const source = await newSource({ channelId: 'busy' });
    const code = async (answer: ReturnType<typeof send>) => (await answer).json.code;
    expect(await code(send(source, 'x', { headers: { 'stoa-delivery': 'a b' } }))).toBe(
      'invalid_request',
    );
    expect(await code(send(source, ''))).toBe('invalid_request');
    expect(await code(send(source, ' \n'))).toBe('invalid_request');
    expect(await code(send(source, Buffer.from([0xff])))).toBe('invalid_text');
    expect(await code(send(source, 'a\0b'))).toBe('invalid_text');
    expect(await code(send(source, '['.repeat(100)))).toBe('too_deep');
    const large = await send(source, 'x'.repeat(LIMITS.observationBytes + 1));
    expect(large.json.code).toBe('payload_too_large');
    const answers = await Promise.all(
      Array.from({ length: LIMITS.observationsPerMinute + 2 }, (_, n) =>
        send(source, `{"text": not JSON ${String(n)}`),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ json: { code: why } }) => why)).toEqual([
      'too_many_observations',
      'too_many_observations',
    ]);
    expect(refused[0]?.status).toBe(429);
  });

  it('is made by who moderates the channel, and its secret is shown once', async () => {
    const { source, secret } = await newSource();
    const ada = callerOf(daemon.url, (await newPerson(daemon, 'ada')).token);
    const path = `/v1/observation-sources/${source.sourceId}`;
    expect((await ada.get(path)).json).toEqual(source);
    const denied = await ada.post<{ code: string }>(`${path}/rotate`);
    expect([denied.status, denied.json.code]).toEqual([403, 'forbidden']);
    for (const shown of [path, '/v1/observation-sources?channelId=room']) {
      expect((await owner.get(shown)).text).not.toContain(secret);
    }
    const log = await owner.get('/v1/topics/channel:room/events?limit=200');
    expect(log.text).toContain(source.sourceId);
    expect(log.text).not.toContain(secret);
  });

  it('C-41 the command line makes a source, reports with a secret that it reads without echo, and lists', async () => {
    const run = ownerOf(daemon);
    await owner.post('/v1/channels', { channelId: 'lines', title: 'Lines' });
    const source = ['observation', 'source'];
    const created = await run([...source, 'create', 'lines', 'Build', 'server']);
    const [sourceId = '', secret = ''] = created.out.split('\n');
    const send = ['observation', 'send', sourceId, 'the', 'build', 'broke'];
    expect(await run([...send], { input: '' })).toMatchObject({ code: 2 });
    const sent = await run([...send, '--delivery', 'one'], { input: `${secret}\n` });
    expect(sent.out, sent.err).toMatch(/^obs_/);
    const env = { STOA_OBSERVATION_SECRET: secret };
    expect((await run([...send, '--delivery', 'one'], { env })).out).toBe(sent.out);
    expect((await run(['observation', 'list', sourceId])).out).toMatch(/the build broke/);
    const off = await json<{ enabled: boolean }>(
      run([...source, 'update', sourceId, '--disable', '--json']),
    );
    expect(off.enabled).toBe(false);
    expect((await run([...send], { env })).err).toContain('observation_refused');
    expect((await run([...source, 'list', 'lines'])).out).toMatch(/off .*Build server/);
    const rotated = await run([...source, 'rotate', sourceId]);
    expect(rotated.out.trim()).not.toBe(secret);
    expect((await run([...source, 'show', sourceId])).out).toContain('lines');
    expect((await run([...source, 'delete', sourceId])).code).toBe(0);
    expect((await run([...source, 'list', 'lines'])).err).toContain('no sources');
  });
});
