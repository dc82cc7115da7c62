import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credential, MintedToken, Whoami } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  DAEMON_ENGINES,
  EventStream,
  LiveSocket,
  startDaemon,
  type TestDaemon,
  type TestDirectory,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.each(DAEMON_ENGINES)('tokens on $name', (engine) => {
  let directory: TestDirectory;
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    directory = await engine.newDirectory();
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'Lobby' });
  });
  afterAll(async () => {
    await directory.discard();
  });

  async function mint(humanId: string, name = `token of ${humanId}`) {
    const minted = await owner.post<MintedToken>('/v1/tokens', { humanId, name });
    expect(minted.status).toBe(201);
    return { ...minted.json, caller: callerOf(daemon.url, minted.json.token) };
  }

  const revoke = (credential: Credential) => owner.delete(`/v1/tokens/${credential.credentialId}`);
  const tokens = async () => (await owner.get<{ tokens: Credential[] }>('/v1/tokens')).json.tokens;

  it('F-18 no token, a wrong one and a malformed one get 401', async () => {
    const attempts: Record<string, string>[] = [
      {},
      { authorization: 'Bearer stoa_owner_wrong' },
      { authorization: `Bearer ${daemon.token.slice(0, -1)}` },
      { authorization: `Bearer ${daemon.token}x` },
      { authorization: `Bearer  ${daemon.token}` },
      { authorization: `Basic ${Buffer.from(`owner:${daemon.token}`).toString('base64')}` },
      { authorization: daemon.token },
      { authorization: '' },
      { cookie: `stoa_${String(daemon.port)}=` },
      { cookie: `stoa_1=${daemon.token}` },
      { 'x-stoa-token': daemon.token },
    ];
    for (const headers of attempts) {
      const {
        status,
        json,
        headers: answered,
      } = await call(daemon.url, 'GET', '/v1/whoami', { headers });
      expect(status, JSON.stringify(headers)).toBe(401);
      expect(json).toMatchObject({ code: 'unauthenticated', status: 401 });
      expect(answered['www-authenticate']).toBe('Bearer');
      expect(answered['content-type']).toContain('application/problem+json');
    }
    const inTheAddress = await call(daemon.url, 'GET', `/v1/whoami?token=${daemon.token}`);
    expect(inTheAddress.status).toBe(401);
  });

  it('F-18 what does not exist is 401 for those who are nobody, and 404 for those who are somebody', async () => {
    expect((await call(daemon.url, 'GET', '/v1/nowhere')).status).toBe(401);
    const known = await owner.get('/v1/nowhere');
    expect(known.status).toBe(404);
    expect(known.json).toMatchObject({ code: 'route_not_found' });
  });

  it('F-18 the token of another data directory gets 401, on HTTP, WebSocket and SSE', async () => {
    const elsewhere = await startDaemon();
    try {
      expect((await call(daemon.url, 'GET', '/v1/whoami', { token: elsewhere.token })).status).toBe(
        401,
      );
      expect((await call(elsewhere.url, 'GET', '/v1/whoami', { token: daemon.token })).status).toBe(
        401,
      );
      await expect(LiveSocket.open(daemon.url, elsewhere)).rejects.toMatchObject({
        status: 401,
        code: 'unauthenticated',
      });
      await expect(EventStream.open(daemon.url, 'topic=channel:lobby', elsewhere)).rejects.toThrow(
        '401',
      );
    } finally {
      await elsewhere.cleanUp();
    }
  });

  it('F-18 the token file and the data directory are for one user only', () => {
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(join(directory.home, 'token'))).toBe(0o600);
    expect(mode(directory.home)).toBe(0o700);
  });

  it('F-18 a token file that others could read is closed again at the next start', async () => {
    const own = await startDaemon();
    try {
      await own.stop();
      rmSync(join(own.home, 'token'));
      writeFileSync(join(own.home, 'token'), `${own.token}\n`, { mode: 0o644 });
      const again = await startDaemon({ home: own.home });
      expect(statSync(join(own.home, 'token')).mode & 0o777).toBe(0o600);
      expect(again.token).toBe(own.token);
      await again.stop();
    } finally {
      await own.cleanUp();
    }
  });

  it('F-35 a minted token is its human and no one else, and opens what people may open', async () => {
    const { caller, credential } = await mint('ada');
    expect(credential).toMatchObject({ kind: 'human_token', name: 'token of ada', humanId: 'ada' });
    const me = await caller.get<Whoami>('/v1/whoami');
    expect(me.json).toEqual({
      actorId: 'human:ada',
      displayName: 'ada',
      role: 'member',
      credentialId: credential.credentialId,
    });
  });

  it('F-35 the list has every token and no secret, and neither has the disk', async () => {
    const { token, credential } = await mint('bea', 'laptop');
    const listed = await owner.get('/v1/tokens');
    expect(listed.json).toMatchObject({ tokens: expect.arrayContaining([credential]) as unknown });
    expect(listed.text).not.toContain(token);
    expect(listed.text).not.toContain(token.replace('stoa_', ''));
    expect(listed.text).not.toContain(daemon.token);
    expect(listed.text).not.toContain('hash');
    if (engine.name === 'sqlite') {
      for (const file of ['stoa.db', 'stoa.db-wal']) {
        expect(readFileSync(join(directory.home, file)).includes(token)).toBe(false);
      }
    }
  });

  it('F-35 a human token cannot mint, list or revoke', async () => {
    const { caller, credential } = await mint('cleo');
    const before = await tokens();
    for (const attempt of [
      () => caller.post('/v1/tokens', { humanId: 'cleo', name: 'another' }),
      () => caller.post('/v1/tokens', { humanId: 'owner', name: 'the crown' }),
      () => caller.get('/v1/tokens'),
      () => caller.delete(`/v1/tokens/${credential.credentialId}`),
    ]) {
      const { status, json } = await attempt();
      expect(status).toBe(403);
      expect(json).toMatchObject({ code: 'forbidden' });
    }
    expect(await tokens()).toEqual(before);
  });

  it('F-35 a revoked token fails at once, and the other tokens of its human go on', async () => {
    const gone = await mint('dora', 'lost phone');
    const kept = await mint('dora', 'desk');
    expect((await gone.caller.get('/v1/whoami')).status).toBe(200);
    expect((await revoke(gone.credential)).status).toBe(204);
    const after = await gone.caller.get('/v1/whoami');
    expect(after.status).toBe(401);
    expect(after.json).toMatchObject({ code: 'unauthenticated' });
    expect((await kept.caller.get('/v1/whoami')).status).toBe(200);
    const row = (await tokens()).find(
      ({ credentialId }) => credentialId === gone.credential.credentialId,
    );
    expect(row?.revokedAt).toBeGreaterThanOrEqual(gone.credential.createdAt);
  });

  it('F-35 revoking ends the live streams of that token, and only those', async () => {
    const gone = await mint('elis', 'lost');
    const kept = await mint('elis', 'kept');
    const socket = await LiveSocket.open(daemon.url, gone);
    await socket.subscribe('channel:lobby');
    const stream = await EventStream.open(daemon.url, 'topic=channel:lobby', gone);
    await stream.subscribed();
    const other = await LiveSocket.open(daemon.url, kept);
    await other.subscribe('channel:lobby');

    await revoke(gone.credential);
    await socket.ended();
    await stream.ended();
    expect(socket.frames.at(-1)).toEqual({ type: 'closing', reason: 'revoked' });
    expect(stream.framesOf('closing')).toEqual([{ type: 'closing', reason: 'revoked' }]);

    const posted = await owner.post('/v1/channels/lobby/messages', { text: 'still there?' });
    await until('the other token receives it', () => other.events().length > 0);
    expect(other.events()[0]?.data).toMatchObject({ messageId: posted.json['messageId'] });
    await expect(LiveSocket.open(daemon.url, gone)).rejects.toMatchObject({ status: 401 });
    await other.close();
  });

  it('F-35 a stream that is opened while its token is revoked does not stay', async () => {
    const { credential, token } = await mint('fay');
    const opening = Array.from({ length: 8 }, () => LiveSocket.open(daemon.url, { token }));
    const [, ...sockets] = await Promise.all([
      revoke(credential),
      ...opening.map((socket) => socket.catch(() => undefined)),
    ]);
    for (const socket of sockets) {
      if (!socket) continue;
      await socket.ended();
      expect(socket.frames).toEqual([{ type: 'closing', reason: 'revoked' }]);
    }
  });

  it('F-35 revoking twice is revoking once, and a token that never was is not found', async () => {
    const { credential } = await mint('gil');
    expect((await revoke(credential)).status).toBe(204);
    const once = (await tokens()).find(
      ({ credentialId }) => credentialId === credential.credentialId,
    );
    expect((await revoke(credential)).status).toBe(204);
    const twice = (await tokens()).find(
      ({ credentialId }) => credentialId === credential.credentialId,
    );
    expect(twice).toEqual(once);
    const unknown = await owner.delete('/v1/tokens/crd_00000000000000000000000000');
    expect(unknown.status).toBe(404);
    expect(unknown.json).toMatchObject({ code: 'token_not_found' });
  });

  it('F-35 the token of the owner cannot be revoked by accident: the way in would be lost', async () => {
    const me = await owner.get<Whoami>('/v1/whoami');
    const { status, json } = await owner.delete(`/v1/tokens/${me.json.credentialId}`);
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'forbidden' });
    expect((await owner.get('/v1/whoami')).status).toBe(200);
  });

  it('F-35 what still opens something is listed first, however much was revoked since', async () => {
    const { credential: kept } = await mint('hal');
    const { credential: gone } = await mint('hal');
    await revoke(gone);
    const listed = (await tokens()).map(({ revokedAt }) => revokedAt !== undefined);
    expect(listed).toEqual([...listed].sort());
    const ids = (await tokens()).map(({ credentialId }) => credentialId);
    expect(ids.indexOf(kept.credentialId)).toBeLessThan(ids.indexOf(gone.credentialId));
  });

  it('F-35 the owner gets in however many credentials there are, and nobody else gets one', async () => {
    await directory.query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO "credentials" ("credentialId", "kind", "name", "principalKind", "principalId", "hash", "createdAt")
       SELECT 'crd_many' || i, 'human_token', 'many', 'human', 'ada', 'many' || i, 1 FROM n`,
    );
    const refused = await owner.post('/v1/tokens', { humanId: 'ivy', name: 'one more' });
    expect(refused.json).toMatchObject({ code: 'limit_reached' });
    await daemon.stop();
    rmSync(join(directory.home, 'token'));
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    expect((await owner.get('/v1/whoami')).status).toBe(200);
    await directory.query(`DELETE FROM "credentials" WHERE "name" = 'many'`);
  });

  it('F-35 a new token file makes the old token useless, and the old file brings it back', async () => {
    const old = readFileSync(join(directory.home, 'token'), 'utf8');
    await daemon.stop();
    rmSync(join(directory.home, 'token'));
    daemon = await directory.start();
    expect(daemon.token).not.toBe(old.trim());
    expect((await call(daemon.url, 'GET', '/v1/whoami', { token: old.trim() })).status).toBe(401);
    expect((await call(daemon.url, 'GET', '/v1/whoami', { token: daemon.token })).status).toBe(200);

    const replaced = daemon.token;
    await daemon.stop();
    writeFileSync(join(directory.home, 'token'), old, { mode: 0o600 });
    daemon = await directory.start();
    owner = callerOf(daemon.url, daemon.token);
    expect((await owner.get('/v1/whoami')).status).toBe(200);
    expect((await call(daemon.url, 'GET', '/v1/whoami', { token: replaced })).status).toBe(401);
  });
});
