import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Asset, type Channel, LIMITS, type Message } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  DAEMON_ENGINES,
  newPerson,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe.each(DAEMON_ENGINES)('assets on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;
  let ada: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    ada = await newPerson(daemon, 'ada');
    await ada.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await directory.discard();
  });

  const upload = (
    by: Caller,
    raw: Uint8Array | string,
    query = '',
    headers: Record<string, string> = {},
  ) => by.post<Asset>(`/v1/assets${query}`, undefined, { raw, headers });
  const say = (inputItems: object[]) =>
    ada.post<Message>('/v1/channels/lobby/messages', { inputItems });
  const pin = (assetId: string) => `/v1/channels/lobby/pins/${assetId}`;
  const files = (): string[] =>
    readdirSync(join(directory.home, 'assets'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const refusal = ({ status, json }: { status: number; json: unknown }) => [
    status,
    (json as { code: string }).code,
  ];

  it('C-28 equal bytes are stored once, regardless of the sender and the number of uploads', async () => {
    const bytes = randomBytes(5_000);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => upload(i % 2 ? ada : owner, bytes)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map(({ json }) => json.assetId)).size).toBe(1);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(answers[0]?.json).toMatchObject({
      digest,
      bytes: 5_000,
      mediaType: 'application/octet-stream',
    });
    expect(files().filter((name) => name === digest)).toHaveLength(1);
    const raw = await owner.get(`/v1/assets/${answers[0]?.json.assetId ?? ''}/raw`);
    expect(raw.bytes.equals(bytes)).toBe(true);
  });

  it.each([
    ['a picture that is called text', PNG, 'text/plain', 'image/png'],
    [
      'a page that is called a picture',
      '<html><script>alert(1)</script>',
      'image/png',
      'text/plain; charset=utf-8',
    ],
    [
      'a drawing with a script',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>',
      'image/svg+xml',
      'text/plain; charset=utf-8',
    ],
    ['JSON', '{"a":1}', 'application/json', 'text/plain; charset=utf-8'],
    [
      'bytes that are called text',
      Buffer.from([0x00, 0xff]),
      'text/html',
      'application/octet-stream',
    ],
  ])('C-28 what it is is seen from the bytes: %s', async (_, bytes, claimed, seen) => {
    const { status, json } = await upload(ada, bytes, '?name=a.html', { 'content-type': claimed });
    expect(status).toBe(201);
    expect(json).toMatchObject({ mediaType: seen, name: 'a.html' });
    const raw = await ada.get(`/v1/assets/${json.assetId}/raw`);
    expect(raw.headers['content-type']).toBe(seen);
    expect(raw.headers['content-disposition']).toBe('attachment');
    expect(raw.headers['x-content-type-options']).toBe('nosniff');
    expect(raw.headers['content-security-policy']).toContain('sandbox');
  });

  it('C-28 12 MiB are taken and one byte more is not, also inside a message', async () => {
    const largest = Buffer.alloc(LIMITS.assetBytes, 1);
    const taken = await say([{ type: 'inline_asset', data: largest.toString('base64') }]);
    expect(taken.status).toBe(201);
    expect((await upload(ada, largest)).json.bytes).toBe(LIMITS.assetBytes);
    const before = files();
    const tooLarge = Buffer.alloc(LIMITS.assetBytes + 1, 2);
    expect(refusal(await upload(ada, tooLarge))).toEqual([413, 'payload_too_large']);
    expect(
      (await say([{ type: 'inline_asset', data: tooLarge.toString('base64') }])).status,
    ).toBeOneOf([400, 413]);
    expect(refusal(await upload(ada, ''))).toEqual([400, 'invalid_request']);
    expect(files()).toEqual(before);
  });

  it('C-28 a message holds text, a reference and bytes of its own, in order and stored once', async () => {
    const known = (await upload(ada, 'known before')).json;
    const data = Buffer.from('known before').toString('base64');
    const fresh = Buffer.from('brought along').toString('base64');
    const { status, json } = await say([
      { type: 'text', text: 'look' },
      { type: 'asset_reference', assetId: known.assetId },
      { type: 'inline_asset', data, name: 'again.txt' },
      { type: 'inline_asset', data: fresh, name: 'new.txt' },
    ]);
    expect(status).toBe(201);
    const [text, reference, again, brought] = json.inputItems;
    expect([text, reference, again]).toEqual([
      { type: 'text', text: 'look' },
      { type: 'asset_reference', assetId: known.assetId },
      { type: 'asset_reference', assetId: known.assetId },
    ]);
    const assetId = brought?.type === 'asset_reference' ? brought.assetId : '';
    expect((await owner.get(`/v1/assets/${assetId}`)).json).toMatchObject({
      name: 'new.txt',
      bytes: 13,
      createdBy: 'human:ada',
    });
    expect((await owner.get(`/v1/channels/lobby/messages/${json.messageId}`)).json).toEqual(json);
  });

  it('a message that refers to nothing, or brings what is not base64, is not stored', async () => {
    const head = async () => (await ada.get<Channel>('/v1/channels/lobby')).json.headSeq;
    const before = [await head(), files()];
    expect(
      refusal(await say([{ type: 'asset_reference', assetId: `ast_${'0'.repeat(26)}` }])),
    ).toEqual([400, 'unknown_asset']);
    for (const data of ['@@@@', 'QUJD=', 'QUI', '', 'QUJD\n', 'QR==']) {
      expect(refusal(await say([{ type: 'inline_asset', data }]))).toEqual([
        400,
        'invalid_request',
      ]);
    }
    expect([await head(), files()]).toEqual(before);
  });

  it('a message that is refused leaves no file behind of what it brought', async () => {
    const before = files();
    const inline = () => ({ type: 'inline_asset', data: randomBytes(64).toString('base64') });
    const unknown = { type: 'asset_reference', assetId: `ast_${'0'.repeat(26)}` };
    expect(
      (await owner.post('/v1/channels/lobby/messages', { inputItems: [inline()] })).json,
    ).toMatchObject({ code: 'not_member' });
    expect(
      (await ada.post('/v1/channels/nowhere/messages', { inputItems: [inline()] })).json,
    ).toMatchObject({ code: 'channel_not_found' });
    expect((await say([inline(), unknown])).json).toMatchObject({ code: 'unknown_asset' });
    expect((await say([inline(), { type: 'inline_asset', data: '' }])).json).toMatchObject({
      code: 'invalid_request',
    });
    expect(files()).toEqual(before);
  });

  it('C-60 the channel lists a pinned asset once, and it cannot be deleted', async () => {
    const asset = (await upload(ada, 'to be pinned')).json;
    const other = (await upload(ada, 'pinned second')).json;
    await ada.put(pin(asset.assetId));
    await ada.put(pin(other.assetId));
    const pinned = await ada.put<Channel>(pin(asset.assetId));
    expect(pinned.json.pinnedAssetIds).toEqual([asset.assetId, other.assetId]);
    expect(refusal(await ada.delete(`/v1/assets/${asset.assetId}`))).toEqual([409, 'asset_in_use']);
    expect((await ada.get(`/v1/assets/${asset.assetId}/raw`)).text).toBe('to be pinned');

    const unpinned = await ada.delete<Channel>(pin(asset.assetId));
    expect(unpinned.json.pinnedAssetIds).toEqual([other.assetId]);
    expect((await ada.delete<Channel>(pin(asset.assetId))).json.headSeq).toBe(
      unpinned.json.headSeq,
    );
    expect((await ada.delete(`/v1/assets/${asset.assetId}`)).status).toBe(204);
    expect(refusal(await ada.get(`/v1/assets/${asset.assetId}`))).toEqual([404, 'asset_not_found']);
    expect(files()).not.toContain(asset.digest);
    expect(refusal(await ada.put(pin(asset.assetId)))).toEqual([404, 'asset_not_found']);
  });

  it('C-60 an attached asset cannot be deleted while a message holds it', async () => {
    const asset = (await upload(ada, 'attached')).json;
    const reference = { type: 'asset_reference', assetId: asset.assetId };
    const kept = (await say([reference])).json;
    const edited = (await say([reference])).json;
    const remove = () => ada.delete(`/v1/assets/${asset.assetId}`);
    expect(refusal(await remove())).toEqual([409, 'asset_in_use']);
    await ada.patch(`/v1/channels/lobby/messages/${edited.messageId}`, { text: 'without' });
    expect(refusal(await remove())).toEqual([409, 'asset_in_use']);
    await ada.delete(`/v1/channels/lobby/messages/${kept.messageId}`);
    expect((await remove()).status).toBe(204);
  });

  it('only who brought an asset and the owner delete it', async () => {
    const asset = (await upload(owner, 'of the owner')).json;
    expect(refusal(await ada.delete(`/v1/assets/${asset.assetId}`))).toEqual([403, 'forbidden']);
    const theirs = (await upload(ada, 'of ada')).json;
    expect((await owner.delete(`/v1/assets/${theirs.assetId}`)).status).toBe(204);
    expect(refusal(await owner.delete(`/v1/assets/${theirs.assetId}`))).toEqual([
      404,
      'asset_not_found',
    ]);
  });

  it('a channel takes no more than 50 pins', async () => {
    await ada.post('/v1/channels', { channelId: 'pins', title: 'Pins' });
    const assets = await Promise.all(
      Array.from({ length: LIMITS.pinnedAssets + 1 }, (_, i) => upload(ada, `pin ${String(i)}`)),
    );
    const statuses: number[] = [];
    for (const { json } of assets)
      statuses.push((await ada.put(`/v1/channels/pins/pins/${json.assetId}`)).status);
    expect(statuses).toEqual([...Array<number>(LIMITS.pinnedAssets).fill(200), 409]);
    const last = assets.at(-1)?.json.assetId ?? '';
    expect(refusal(await ada.put(`/v1/channels/pins/pins/${last}`))).toEqual([
      409,
      'limit_reached',
    ]);
  });

  it('C-60 what is brought again, or was used until now, has as long as if it were new', async () => {
    const again = (await upload(ada, 'brought twice')).json;
    const used = (await upload(ada, 'used until now')).json;
    const pinned = (await upload(ada, 'pinned until now')).json;
    const old = (await upload(ada, 'never used')).json;
    const message = (await say([{ type: 'asset_reference', assetId: used.assetId }])).json;
    await ada.put(pin(pinned.assetId));
    // What two hours would do.
    await directory.query(
      `UPDATE "assets" SET "createdAt" = "createdAt" - 7200000, "unusedSince" = "unusedSince" - 7200000`,
    );
    expect((await upload(ada, 'brought twice')).json.assetId).toBe(again.assetId);
    await ada.delete(`/v1/channels/lobby/messages/${message.messageId}`);
    await ada.delete(pin(pinned.assetId));
    await daemon.stop();
    daemon = await directory.start({
      config: 'retention:\n  unusedAssetHours: 1\n  sweepSeconds: 0.05\n',
    });
    owner = callerOf(daemon.url, daemon.token);
    ada = callerOf(daemon.url, ada.token);
    await until(
      'the one never used is gone',
      async () => (await ada.get(`/v1/assets/${old.assetId}`)).status === 404,
    );
    for (const { assetId } of [again, used, pinned]) {
      expect((await ada.get(`/v1/assets/${assetId}/raw`)).status).toBe(200);
    }
  });

  it('what only a deleted channel used is collected with it', async () => {
    await ada.post('/v1/channels', { channelId: 'doomed', title: 'Doomed' });
    const asset = (await upload(ada, 'only there')).json;
    const inputItems = [{ type: 'asset_reference', assetId: asset.assetId }];
    await ada.post('/v1/channels/doomed/messages', { inputItems });
    await ada.put(`/v1/channels/doomed/pins/${asset.assetId}`);
    await ada.delete('/v1/channels/doomed');
    const [row] = await until('nothing holds it any more', async () => {
      const rows = await directory.query(
        `SELECT "unusedSince" FROM "assets" WHERE "assetId" = '${asset.assetId}' AND "unusedSince" IS NOT NULL`,
      );
      return rows.length > 0 && rows;
    });
    expect(Number(row?.['unusedSince'])).toBeGreaterThan(asset.createdAt);
  });

  it('what nothing refers to is collected in time, and what something refers to is not', async () => {
    const kept = (await upload(ada, 'kept by a pin')).json;
    await ada.put(pin(kept.assetId));
    const loose = (await upload(ada, 'loose')).json;
    await daemon.stop();
    daemon = await directory.start({
      config: 'retention:\n  unusedAssetHours: 0.000001\n  sweepSeconds: 0.05\n',
    });
    owner = callerOf(daemon.url, daemon.token);
    ada = callerOf(daemon.url, ada.token);
    await until(
      'the loose one is gone',
      async () => (await ada.get(`/v1/assets/${loose.assetId}`)).status === 404,
    );
    await until('its file is gone', () => !files().includes(loose.digest));
    expect((await ada.get(`/v1/assets/${kept.assetId}/raw`)).text).toBe('kept by a pin');
    expect((await owner.post('/v1/checks')).json).toMatchObject({ ok: true, problems: [] });
  });
});
