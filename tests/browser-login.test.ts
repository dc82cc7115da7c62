import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { type Credential, LIMITS, type LoginCode, ROUTES, type Route } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  confirmCode,
  LiveSocket,
  newPerson,
  openLoginPage,
  PageLogin,
  startDaemon,
  type TestDaemon,
  ticketIn,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('logging in with a browser', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  /** For the cases that make hundreds of calls. */
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    agent.destroy();
    await daemon.cleanUp();
  });

  const newCode = async (by: Caller = owner) => (await by.post<LoginCode>('/v1/login-codes')).json;
  const redeem = (code: string) => confirmCode(daemon.url, code);
  const login = (code: string) => PageLogin.open(daemon.url, code);
  const whoami = (headers: Record<string, string>) =>
    call(daemon.url, 'GET', '/v1/whoami', { headers });
  /** Ends the ten minutes of a login code now. */
  const expire = (code: string): void => {
    withDatabaseFile(daemon.home, (db) => {
      const hash = createHash('sha256').update(code).digest('hex');
      const { changes } = db
        .prepare('UPDATE "loginCodes" SET "expiresAt" = ? WHERE "hash" = ?')
        .run(Date.now(), hash);
      expect(changes).toBe(1);
    });
  };
  /** Whether the daemon still grants access to this login. */
  const grants = async (page: PageLogin) => (await page.grant(await page.prove())).status;

  it('F-21 the link printed at the start works once and is not the token', async () => {
    const code = new URL(daemon.loginUrl).searchParams.get('code') ?? '';
    expect(code.length).toBeGreaterThanOrEqual(40);
    expect(daemon.token).not.toContain(code);

    const page = await openLoginPage(daemon.url, code);
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.text).toContain('&quot;displayName&quot;:&quot;owner&quot;');
    const first = await redeem(code);
    expect(first.status).toBe(201);
    expect(first.headers['set-cookie']).toBeUndefined();
    expect(first.json.key).toMatch(/^[0-9a-f]{64}$/);
    expect(first.text).not.toContain(daemon.token);
    expect(first.text).not.toContain(code);

    const second = await redeem(code);
    expect(second.status).toBe(401);
    expect(second.json).toMatchObject({ code: 'login_code_invalid' });
  });

  it('F-21 a login opens calls and streams as the person who asked for the code, and the page is the same for all', async () => {
    const ada = await newPerson(daemon, 'ada');
    const headers = await (await login((await newCode(ada)).code)).headers();
    expect((await whoami(headers)).json).toMatchObject({ actorId: 'human:ada', role: 'member' });
    const page = await call(daemon.url, 'GET', '/', { headers });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('id="root"');
    expect((await call(daemon.url, 'GET', '/')).text).toBe(page.text);
    const protocols = ['stoa', `stoa.access.${headers['stoa-access-token'] ?? ''}`];
    const socket = await LiveSocket.open(daemon.url, { protocols });
    await socket.close();
  });

  it('SE-10 SE-13 a cookie opens the page and nothing else, even with a valid secret', async () => {
    const page = await login((await newCode()).code);
    const access = (await page.headers())['stoa-access-token'] ?? '';
    for (const secret of [page.key, page.credentialId, access, daemon.token]) {
      const cookie = `stoa_${String(daemon.port)}=${secret}; stoa=${secret}`;
      expect((await call(daemon.url, 'GET', '/c/lobby', { headers: { cookie } })).status).toBe(200);
      for (const [id, route] of Object.entries<Route>(ROUTES)) {
        if (route.access.includes('anonymous') || id === 'stream') continue;
        const path = route.path.replace(/:[a-zA-Z]+/g, 'x');
        const { status } = await call(daemon.url, route.method, path, {
          agent,
          headers: { cookie },
        });
        expect(status, id).toBe(401);
      }
      await expect(LiveSocket.open(daemon.url, { headers: { cookie } })).rejects.toMatchObject({
        status: 401,
      });
    }
  });

  it('SE-9 no secret of a browser is a token, on any route, on /mcp, on SSE or on the WebSocket', async () => {
    const page = await login((await newCode()).code);
    const access = (await page.headers())['stoa-access-token'] ?? '';
    const { code } = await newCode();
    for (const token of [page.key, page.credentialId, access, code]) {
      for (const [id, route] of Object.entries<Route>(ROUTES)) {
        if (route.access.includes('anonymous') || id === 'stream') continue;
        const path = route.path.replace(/:[a-zA-Z]+/g, 'x');
        const { status } = await call(daemon.url, route.method, path, { agent, token });
        expect(status, `${id} ${token}`).toBe(401);
      }
      await expect(LiveSocket.open(daemon.url, { token })).rejects.toMatchObject({ status: 401 });
    }
    // Nor is a token an access token, or the key one.
    for (const secret of [daemon.token, page.key]) {
      expect((await whoami({ 'stoa-access-token': secret })).status).toBe(401);
    }
    const mcp = await call(daemon.url, 'POST', '/mcp', {
      body: {},
      headers: { 'stoa-access-token': access },
    });
    expect(mcp.status).toBe(401);
  });

  it('SE-11 a proof is good once, at this address, and access ends with the process of the daemon', async () => {
    const page = await login((await newCode()).code);
    const proof = await page.prove();
    const granted = await page.grant(proof);
    expect(granted.status).toBe(201);
    expect((await page.grant(proof)).status).toBe(401);
    const other = await page.prove();
    for (const changed of [
      { ...other, proof: other.proof.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
      { ...other, nonce: 'A'.repeat(22) },
      { ...other, challenge: proof.challenge },
      { ...other, challenge: `${String(Date.now() + 60_000)}.x.${'0'.repeat(64)}` },
      { ...other, host: `localhost:${String(daemon.port)}` },
    ]) {
      expect((await page.grant(changed)).status).toBe(401);
    }
    // A server elsewhere cannot pass on what a page asks of it.
    await expect(page.prove('127.0.0.1:1')).rejects.toThrow('host_not_allowed');
    const headers = { 'stoa-access-token': granted.json.accessToken };
    expect((await whoami(headers)).status).toBe(200);

    await daemon.stop();
    daemon = await startDaemon({ home: daemon.home, env: { STOA_PORT: String(daemon.port) } });
    owner = callerOf(daemon.url, daemon.token);
    expect((await whoami(headers)).status).toBe(401);
    expect((await page.grant(other)).status).toBe(401);
    // The key itself outlives it.
    expect(await grants(page)).toBe(201);
  });

  it('SE-12 a browser login makes and revokes credentials only with a fresh login code, once', async () => {
    const headers = await (await login((await newCode()).code)).headers();
    const mint = (code?: string) =>
      call(daemon.url, 'POST', '/v1/tokens', {
        body: { humanId: 'fay', name: 'laptop' },
        headers: { ...headers, ...(code === undefined ? {} : { 'stoa-login-code': code }) },
      });
    const required = { code: 'fresh_login_required', status: 403 };
    expect((await mint()).json).toMatchObject(required);
    // No way around: a browser login does not get a code for itself.
    const asked = await call(daemon.url, 'POST', '/v1/login-codes', { headers });
    expect(asked.json).toMatchObject(required);
    const gil = await newPerson(daemon, 'gil');
    const foreign = (await newCode(gil)).code;
    expect((await mint(foreign)).json).toMatchObject(required);
    expect((await redeem(foreign)).status).toBe(201);
    const late = (await newCode()).code;
    expire(late);
    expect((await mint(late)).json).toMatchObject(required);

    const { code } = await newCode();
    const minted = await mint(code);
    expect(minted.status).toBe(201);
    expect((await mint(code)).json).toMatchObject(required);
    expect((await redeem(code)).status).toBe(401);

    const { credentialId } = (minted.json as { credential: Credential }).credential;
    const revoke = (extra: Record<string, string>) =>
      call(daemon.url, 'DELETE', `/v1/tokens/${credentialId}`, {
        headers: { ...headers, ...extra },
      });
    expect((await revoke({})).json).toMatchObject(required);
    expect((await revoke({ 'stoa-login-code': (await newCode()).code })).status).toBe(204);
  });

  it('SE-53 a login page that was not opened by a person changes nothing, and the code stays unused', async () => {
    const { code } = await newCode();
    const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    for (const headers of [
      { ...opened, 'sec-fetch-site': 'same-origin' },
      { ...opened, 'sec-fetch-site': 'same-site' },
      { ...opened, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' },
    ]) {
      const page = await openLoginPage(daemon.url, code, headers);
      expect(page.status, JSON.stringify(headers)).toBe(403);
      expect(page.text).not.toContain('ticket');
    }
    // A preview, and the person: nothing but a page.
    for (const headers of [{}, { ...opened, 'sec-fetch-site': 'none' }]) {
      expect((await openLoginPage(daemon.url, code, headers)).status).toBe(200);
    }
    const ticket = ticketIn((await openLoginPage(daemon.url, code)).text);
    const post = (body: object, headers: Record<string, string> = {}) =>
      call(daemon.url, 'POST', '/login', { body, headers });
    // Another page of the UI has the code of a message and no ticket for it.
    const otherTicket = ticketIn((await openLoginPage(daemon.url, (await newCode()).code)).text);
    const ours = { origin: daemon.url, 'sec-fetch-site': 'same-origin' };
    expect((await post({ code }, ours)).status).toBe(400);
    for (const wrong of [otherTicket, 'x', '0'.repeat(64)]) {
      expect((await post({ code, ticket: wrong }, ours)).status).toBe(401);
    }
    for (const headers of [
      { origin: 'http://127.0.0.1:1' },
      { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect((await post({ code, ticket }, headers)).status).toBe(403);
    }
    expect((await post({ code, ticket }, ours)).status).toBe(201);
  });

  it('F-21 an unknown address gives a page to a person and a problem to a program', async () => {
    const known = await (await login((await newCode()).code)).headers();
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const open = (path: string, headers: Record<string, string>) =>
      call(daemon.url, 'GET', path, { headers });
    const page = await open('/anything/else', { ...known, accept });
    expect(page.status).toBe(404);
    expect(page.text).toContain('id="root"');
    const followed = await open('/anything/else', {
      accept,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    });
    expect([followed.status, followed.text]).toEqual([404, page.text]);
    const outside = await open('/anything/else', { accept });
    expect([outside.status, outside.text]).toEqual([404, page.text]);
    for (const [path, accepted] of [
      ['/anything/else', '*/*'],
      ['/v1/anything', accept],
      ['/assets/a/b', accept],
    ] as const) {
      const problem = await open(path, { ...known, accept: accepted });
      expect(problem.json, path).toMatchObject({ code: 'route_not_found' });
      expect((await open(path, { accept: accepted })).json).toMatchObject({
        code: 'unauthenticated',
      });
    }
    const posted = await call(daemon.url, 'POST', '/anything', {
      headers: { ...known, accept },
    });
    expect(posted.json).toMatchObject({ code: 'route_not_found' });
  });

  it('F-21 of twenty who use a code at once, one gets in', async () => {
    const { code } = await newCode();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => redeem(code)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(19);
  });

  it('F-21 a code is good for ten minutes and not for longer', async () => {
    const before = Date.now();
    const early = await newCode();
    const late = await newCode();
    for (const { expiresAt } of [early, late]) {
      expect(expiresAt).toBeGreaterThanOrEqual(before + LIMITS.loginCodeMs);
      expect(expiresAt).toBeLessThanOrEqual(Date.now() + LIMITS.loginCodeMs);
    }
    expect(LIMITS.loginCodeMs).toBe(10 * 60 * 1000);

    // What ten minutes would do, done to the record of one of the two.
    expire(late.code);
    const expired = await redeem(late.code);
    expect(expired.status).toBe(401);
    expect(expired.json).toMatchObject({ code: 'login_code_invalid' });
    expect((await redeem(early.code)).status).toBe(201);
  });

  it('F-21 a code, a token or nonsense in the wrong field gives no access', async () => {
    const { code } = await newCode();
    expect((await call(daemon.url, 'GET', '/v1/whoami', { token: code })).status).toBe(401);
    for (const wrong of [daemon.token, 'x', '']) {
      expect((await openLoginPage(daemon.url, wrong)).status, wrong).toBe(401);
    }
    for (const wrong of [daemon.token, 'x']) expect((await redeem(wrong)).status).toBe(401);
    expect((await call(daemon.url, 'GET', '/login')).status).toBe(400);
    expect((await redeem(code)).status).toBe(201);
  });

  it('F-21 a person gets an explanation if a link has expired', async () => {
    const page = await openLoginPage(daemon.url, 'used-up', {
      accept: 'text/html,application/xhtml+xml',
    });
    expect(page.status).toBe(401);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain('stoa login');
  });

  it('F-21 a browser can log out: its login ends, the token of the owner does not', async () => {
    const page = await login((await newCode()).code);
    const headers = await page.headers();
    const out = await call(daemon.url, 'POST', '/v1/logout', { headers });
    expect(out.status).toBe(204);
    expect((await whoami(headers)).status).toBe(401);
    // The daemon still proves itself, so the page can believe that its login has ended.
    expect(await grants(page)).toBe(401);

    const refused = await owner.post('/v1/logout');
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ code: 'forbidden' });
    expect((await owner.get('/v1/whoami')).status).toBe(200);
  });

  it('F-21 a login ends by itself after thirty days', async () => {
    const cal = await newPerson(daemon, 'cal');
    const page = await login((await newCode(cal)).code);
    const headers = await page.headers();
    expect((await whoami(headers)).status).toBe(200);
    const { tokens } = (await owner.get<{ tokens: Credential[] }>('/v1/tokens')).json;
    const { createdAt, expiresAt } =
      tokens.find(({ humanId, kind }) => humanId === 'cal' && kind === 'browser') ?? {};
    expect(expiresAt).toBe((createdAt ?? 0) + 30 * 24 * 3_600_000);
    expect(tokens.find(({ kind }) => kind === 'human_token')?.expiresAt).toBeUndefined();

    // What thirty days would do.
    withDatabaseFile(daemon.home, (db) => {
      db.prepare(
        `UPDATE "credentials" SET "expiresAt" = ? WHERE "principalId" = 'cal' AND "kind" = 'browser'`,
      ).run(Date.now());
    });
    expect((await whoami(headers)).status).toBe(401);
    expect(await grants(page)).toBe(401);
    expect((await cal.get('/v1/whoami')).status).toBe(200);
  });

  it('F-21 a person has at most 20 browsers logged in: a new one replaces the oldest', async () => {
    const dee = await newPerson(daemon, 'dee');
    const mine = await login((await newCode(owner)).code);
    const logins: PageLogin[] = [];
    for (let i = 0; i < 21; i++) logins.push(await login((await newCode(dee)).code));
    const [first, second] = logins;
    const last = logins.at(-1);
    if (!first || !second || !last) throw new Error('nobody is logged in');
    expect(await grants(first)).toBe(401);
    expect(await grants(second)).toBe(201);
    expect(await grants(last)).toBe(201);
    // Others do not lose theirs by it, and the token is no browser.
    expect(await grants(mine)).toBe(201);
    expect((await dee.get('/v1/whoami')).status).toBe(200);
  });

  it('F-21 a code ends with the credential that asked for it', async () => {
    const eve = await newPerson(daemon, 'eve');
    const { code } = await newCode(eve);
    const { credentialId } = (await eve.get<{ credentialId: string }>('/v1/whoami')).json;
    await owner.delete(`/v1/tokens/${credentialId}`);
    const { status, json } = await redeem(code);
    expect(status).toBe(401);
    expect(json).toMatchObject({ code: 'login_code_invalid' });
  });

  it('F-21 a person has at most 20 codes open: a new one replaces the oldest', async () => {
    const bea = await newPerson(daemon, 'bea');
    const mine = await newCode(owner);
    const first = await newCode(bea);
    const madeBy = Date.now();
    // Of two that are made within one millisecond neither is the oldest.
    await until('the clock has gone on', () => Date.now() > madeBy);
    const codes: string[] = [];
    for (let i = 0; i < 20; i++) codes.push((await newCode(bea)).code);
    const gone = await redeem(first.code);
    expect(gone.status).toBe(401);
    expect(gone.json).toMatchObject({ code: 'login_code_invalid' });
    expect((await redeem(codes.at(-1) ?? '')).status).toBe(201);
    // Others do not lose theirs by it.
    expect((await redeem(mine.code)).status).toBe(201);
  });
});
