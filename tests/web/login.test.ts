import { request } from 'node:http';
import type { LoginCode } from '@stoa/protocol';
import {
  call,
  callerOf,
  confirmLogin,
  ForeignServer,
  LiveSocket,
  newPerson,
  type Page,
  type Received,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { webTests } from '../web-tests.js';

/** Sends again what was received, with all its headers. */
function replay(url: string, { method, path, headers, body }: Received): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, headers, agent: false });
    outgoing.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve(101);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('a browser login belongs to one origin', () => {
  const web = webTests({
    prepare: async () => {
      await web.owner.post('/v1/channels', { channelId: 'hall', title: 'Hall' });
    },
  });

  const whoIs = (page: Page): Promise<string> =>
    page.evaluate<string>(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('stoa');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const asked = opening.result.transaction('login').objectStore('login').get('current');
        asked.onsuccess = () => { opening.result.close(); resolve(asked.result?.credentialId ?? 'nobody'); };
      };
    })`);

  it('SE-8 a page at another port of this machine gets nothing that gives access to the daemon', async () => {
    const page = await web.browser.logIn(web.daemon, { path: '/c/hall' });
    await page.getByRole('heading', { name: 'Hall' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const foreign = await ForeignServer.listen(0);
    try {
      await page.goto(foreign.url);
      await page.getByText('elsewhere').waitFor();
      expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
      expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
      const [{ headers } = { headers: {} }] = foreign.received;
      const { cookie = '' } = headers as { cookie?: string };
      const replayed = { cookie: `${cookie}; stoa_${String(web.daemon.port)}=x` };
      const answer = await call(web.daemon.url, 'GET', '/v1/whoami', { headers: replayed });
      expect(answer.status).toBe(401);
      await expect(LiveSocket.open(web.daemon.url, { headers: replayed })).rejects.toMatchObject({
        status: 401,
      });
      expect(web.browser.takeErrors()).toEqual([`a request to another origin: ${foreign.url}/`]);
    } finally {
      await foreign.close();
    }
  });

  it('SE-11 a server that takes the port gets nothing it could use; the tab warns, and continues when the daemon is back', async (test) => {
    const first = await startDaemon();
    test.onTestFinished(() => first.cleanUp());
    const env = { STOA_PORT: String(first.port) };
    await callerOf(first.url, first.token).post('/v1/channels', {
      channelId: 'den',
      title: 'Den',
    });
    const page = await web.browser.logIn(first, { path: '/c/den', isInterrupted: true });
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.waitFor();
    await page.getByText('Connected').waitFor();
    await first.kill();
    const foreign = await ForeignServer.listen(first.port);
    let second: TestDaemon | undefined;
    try {
      await page.getByText('The server at this address is not your daemon').waitFor();
      await box.fill('for my daemon only');
      await box.press('Enter');
      await until('the tab has asked a few times', () => foreign.received.length >= 4);
      await foreign.close();
      // It was only ever asked to prove itself.
      expect(new Set(foreign.received.map(({ path }) => path))).toEqual(
        new Set(['/v1/daemon-proofs']),
      );
      expect(JSON.stringify(foreign.received)).not.toMatch(/stoa_access_|my daemon only/);

      second = await startDaemon({ home: first.home, env });
      for (const each of foreign.received) await replay(second.url, each);
      for (const { headers } of foreign.received) {
        const { host: _, 'content-length': __, ...rest } = headers;
        const again = { method: 'GET', path: '/v1/whoami', headers: rest, body: '' };
        expect(await replay(second.url, again)).toBe(401);
      }
      await page.getByText('The server at this address').waitFor({ state: 'detached' });
      const sent = callerOf(second.url, second.token);
      await until('what was written is sent to the daemon', async () =>
        (await sent.get('/v1/channels/den/messages')).text.includes('for my daemon only'),
      );
    } finally {
      await foreign.close();
      await (second ?? first).cleanUp();
    }
  });

  it('SE-52 SE-53 a login link in a message is no link, and following it by other ways logs nobody in', async () => {
    const bea = await newPerson(web.daemon, 'bea');
    const { url } = (await bea.post<LoginCode>('/v1/login-codes')).json;
    await web.owner.post('/v1/channels/hall/messages', {
      text: `Look: [a picture](${url}) and <${url}> and ${url}\n\n[other](${web.daemon.url}/c/hall)`,
    });
    const page = await web.browser.logIn(web.daemon, { path: '/c/hall' });
    const message = page.getByRole('article').filter({ hasText: 'a picture' });
    await message.getByRole('link', { name: 'other' }).waitFor();
    expect(await message.locator('a[href*="login"]').count()).toBe(0);
    const mine = await whoIs(page);

    // A page of the UI that opens it all the same, in this window, in another and in a script.
    const opened = page.context().waitForEvent('page');
    await page.evaluate(`void window.open(${JSON.stringify(url)}, '_blank', 'noopener')`);
    const other = await opened;
    await other.getByRole('heading', { name: 'Nobody was logged in' }).waitFor();
    await page.evaluate(`fetch(${JSON.stringify(url)}).then((answer) => answer.text())`);
    await page.evaluate(
      `fetch('/login', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: ${JSON.stringify(new URL(url).searchParams.get('code'))}, ticket: 'x' }) })`,
    );
    expect(await whoIs(page)).toBe(mine);
    const refusals = web.browser.takeErrors();
    expect(refusals.filter((text) => !/\b40[13] \(/.test(text))).toEqual([]);

    // Who opens it is asked, and the code was not used up by all that.
    const asked = await web.browser.visit(url);
    await asked.getByRole('heading', { name: 'Log in as bea?' }).waitFor();
    await confirmLogin(asked);
    await asked.getByText('Connected').waitFor();
    expect(await whoIs(page)).toBe(mine);
  });

  it('the key of a login cannot be read by the page that uses it', async () => {
    const page = await web.browser.logIn(web.daemon);
    await page.getByText('Connected').waitFor();
    const exported = await page.evaluate<string>(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('stoa');
      opening.onerror = reject;
      opening.onsuccess = () => {
        const asked = opening.result.transaction('login').objectStore('login').get('current');
        asked.onsuccess = () =>
          crypto.subtle.exportKey('raw', asked.result.key).then(() => resolve('read'), ({ name }) => resolve(name));
      };
    })`);
    expect(exported).toBe('InvalidAccessError');
    expect(
      JSON.stringify(await page.evaluate('({ ...localStorage, ...sessionStorage })')),
    ).not.toContain('stoa_');
  });
});
