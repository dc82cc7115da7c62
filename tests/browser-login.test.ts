import { createHash } from 'node:crypto';
import { type Credential, LIMITS, type LoginCode } from '@stoa/protocol';
import {
  type Caller,
  call,
  callerOf,
  LiveSocket,
  newPerson,
  startDaemon,
  type TestDaemon,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('logging in with a browser', () => {
  let daemon: TestDaemon;
  let owner: Caller;

  beforeAll(async () => {
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  const newCode = async (by: Caller = owner) => (await by.post<LoginCode>('/v1/login-codes')).json;
  const redeem = (code: string, headers: Record<string, string> = {}) =>
    call(daemon.url, 'GET', `/login?code=${encodeURIComponent(code)}`, { headers });

  /** The cookie as a browser would send it back. */
  async function login(code: string): Promise<string> {
    const { status, headers } = await redeem(code);
    expect(status).toBe(303);
    return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  }

  it('F-21 the link printed at the start works once and is not the token', async () => {
    const code = new URL(daemon.loginUrl).searchParams.get('code') ?? '';
    expect(code.length).toBeGreaterThanOrEqual(40);
    expect(daemon.token).not.toContain(code);

    const first = await redeem(code);
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe('/');
    const cookie = first.headers['set-cookie']?.[0] ?? '';
    expect(cookie).toMatch(new RegExp(`^stoa_${String(daemon.port)}=stoa_browser_[\\w-]{40,};`));
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).toContain('Path=/');
    expect(cookie).not.toContain(daemon.token);
    expect(cookie).not.toContain(code);

    const second = await redeem(code);
    expect(second.status).toBe(401);
    expect(second.json).toMatchObject({ code: 'login_code_invalid' });
    expect(second.headers['set-cookie']).toBeUndefined();
  });

  it('F-21 the cookie opens pages, calls and streams as the person who asked for the code', async () => {
    const ada = await newPerson(daemon, 'ada');
    const cookie = await login((await newCode(ada)).code);
    const me = await call(daemon.url, 'GET', '/v1/whoami', {
      headers: { cookie: `other=1; ${cookie}` },
    });
    expect(me.json).toMatchObject({ actorId: 'human:ada', role: 'member' });
    const page = await call(daemon.url, 'GET', '/', { headers: { cookie } });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('id="root"');
    const outside = await call(daemon.url, 'GET', '/');
    expect(outside.text).toContain('stoa login');
    expect(outside.text).not.toContain('id="root"');
    const socket = await LiveSocket.open(daemon.url, { headers: { cookie } });
    await socket.close();
  });

  it('F-21 an address that leads nowhere is told to a person by the page, and to a program as a problem', async () => {
    const cookie = await login((await newCode()).code);
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const open = (path: string, headers: Record<string, string>) =>
      call(daemon.url, 'GET', path, { headers });
    const page = await open('/whatever/else', { cookie, accept });
    expect(page.status).toBe(404);
    expect(page.text).toContain('id="root"');
    const followed = await open('/whatever/else', {
      accept,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    });
    expect(followed.text).toContain('You followed a link');
    const outside = await open('/whatever/else', { accept });
    expect([outside.status, outside.text]).toEqual([200, (await open('/usage', {})).text]);
    for (const [path, accepted] of [
      ['/whatever/else', '*/*'],
      ['/v1/whatever', accept],
      ['/assets/a/b', accept],
    ] as const) {
      const problem = await open(path, { cookie, accept: accepted });
      expect(problem.json, path).toMatchObject({ code: 'route_not_found' });
      expect((await open(path, { accept: accepted })).json).toMatchObject({
        code: 'unauthenticated',
      });
    }
    const posted = await call(daemon.url, 'POST', '/whatever', { headers: { cookie, accept } });
    expect(posted.json).toMatchObject({ code: 'route_not_found' });
  });

  it('F-21 of twenty who use a code at once, one gets in', async () => {
    const { code } = await newCode();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => redeem(code)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
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
    withDatabaseFile(daemon.home, (db) => {
      const hash = createHash('sha256').update(late.code).digest('hex');
      const { changes } = db
        .prepare('UPDATE "loginCodes" SET "expiresAt" = ? WHERE "hash" = ?')
        .run(Date.now(), hash);
      expect(changes).toBe(1);
    });
    const expired = await redeem(late.code);
    expect(expired.status).toBe(401);
    expect(expired.json).toMatchObject({ code: 'login_code_invalid' });
    expect(expired.headers['set-cookie']).toBeUndefined();
    expect((await redeem(early.code)).status).toBe(303);
  });

  it('F-21 a code, a token or nonsense in the wrong place opens nothing', async () => {
    const { code } = await newCode();
    expect((await call(daemon.url, 'GET', '/v1/whoami', { token: code })).status).toBe(401);
    for (const wrong of [daemon.token, 'x', '']) {
      expect((await redeem(wrong)).status, wrong).toBe(401);
    }
    expect((await call(daemon.url, 'GET', '/login')).status).toBe(400);
    expect((await redeem(code)).status).toBe(303);
  });

  it('F-21 a person is told in words when a link does not work any more', async () => {
    const page = await redeem('used-up', { accept: 'text/html,application/xhtml+xml' });
    expect(page.status).toBe(401);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain('stoa login');
  });

  it('F-21 a browser can log out: its cookie ends, the token of the owner does not', async () => {
    const cookie = await login((await newCode()).code);
    const out = await call(daemon.url, 'POST', '/v1/logout', { headers: { cookie } });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect((await call(daemon.url, 'GET', '/v1/whoami', { headers: { cookie } })).status).toBe(401);

    const refused = await owner.post('/v1/logout');
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ code: 'forbidden' });
    expect((await owner.get('/v1/whoami')).status).toBe(200);
  });

  it('F-21 a login ends by itself after thirty days', async () => {
    const cal = await newPerson(daemon, 'cal');
    const cookie = await login((await newCode(cal)).code);
    const headers = { cookie };
    expect((await call(daemon.url, 'GET', '/v1/whoami', { headers })).status).toBe(200);
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
    expect((await call(daemon.url, 'GET', '/v1/whoami', { headers })).status).toBe(401);
    expect((await cal.get('/v1/whoami')).status).toBe(200);
  });

  it('F-21 a person has at most 20 browsers logged in: a new one takes the place of the oldest', async () => {
    const dee = await newPerson(daemon, 'dee');
    const mine = await login((await newCode(owner)).code);
    const cookies: string[] = [];
    for (let i = 0; i < 21; i++) cookies.push(await login((await newCode(dee)).code));
    const status = async (cookie = '') =>
      (await call(daemon.url, 'GET', '/v1/whoami', { headers: { cookie } })).status;
    expect(await status(cookies[0])).toBe(401);
    expect(await status(cookies[1])).toBe(200);
    expect(await status(cookies[20])).toBe(200);
    // Others do not lose theirs by it, and the token is no browser.
    expect(await status(mine)).toBe(200);
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

  it('F-21 a person has at most 20 codes open: a new one takes the place of the oldest', async () => {
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
    expect((await redeem(codes.at(-1) ?? '')).status).toBe(303);
    // Others do not lose theirs by it.
    expect((await redeem(mine.code)).status).toBe(303);
  });
});
