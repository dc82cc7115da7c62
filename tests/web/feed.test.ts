import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message } from '@stoa/protocol';
import {
  say as answer,
  callerOf,
  confirmLogin,
  FakeModel,
  gate,
  type Page,
  startDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestChannel } from '../test-channel.js';
import { webTests } from '../web-tests.js';

describe('the feed of a channel, in a browser', () => {
  let model: FakeModel;

  beforeAll(async () => {
    model = await FakeModel.start({ key: 'sk-feed' });
  });
  afterAll(() => model.close());
  const web = webTests({
    start: () => {
      const config = [
        'model: open/fake-model',
        `providers: { open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-feed } }`,
      ].join('\n');
      return startDaemon({ config, env: { STOA_LOBBY: 'auto' } });
    },
  });

  const box = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const message = (page: Page, text: string) =>
    page.getByRole('article').filter({ hasText: text, hasNot: page.locator('[data-draft]') });

  async function say(page: Page, text: string): Promise<void> {
    await box(page).fill(text);
    await box(page).press('Enter');
  }

  async function newChannel(channelId: string): Promise<void> {
    const { status } = await web.owner.post('/v1/channels', { channelId, title: channelId });
    expect(status).toBe(201);
  }

  it('W-1 the link printed at the start leads to the lobby with its residents, a box to write in, and three lines that explain', async () => {
    const page = await web.browser.visit(web.daemon.loginUrl);
    await page.getByRole('heading', { name: 'Log in as owner?' }).waitFor();
    await confirmLogin(page);
    await page.getByRole('heading', { name: 'Lobby' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/c/lobby');
    await message(page, 'This is the lobby').waitFor();
    for (const resident of ['Host', 'Builder', 'Reviewer']) {
      await page.getByTitle('Host, Builder, Reviewer').getByText(resident).first().waitFor();
    }
    const explained = page.getByRole('region', { name: 'About this channel' });
    expect(await explained.getByRole('listitem').count()).toBe(3);
    expect(await box(page).isVisible()).toBe(true);
    await until('the title says where one is', async () =>
      (await page.title()).endsWith('Lobby · Stoa'),
    );

    await explained.getByRole('button').click();
    await explained.waitFor({ state: 'detached' });
    await page.reload();
    await message(page, 'This is the lobby').waitFor();
    expect(await explained.count()).toBe(0);
  });

  it('W-1 without a login the page explains how to get a link', async () => {
    const page = await web.browser.visit(`${web.daemon.url}/c/lobby`);
    await page.getByRole('heading', { name: 'This browser is not logged in' }).waitFor();
    await page.getByText('stoa login').waitFor();
  });

  it('W-1 a link to a page works from another site, also without a login', async () => {
    const elsewhere = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<link rel="icon" href="data:,"><a href="${web.daemon.url}/c/lobby">there</a>`);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, 'localhost', resolve));
    try {
      const { port } = elsewhere.address() as AddressInfo;
      const follow = async (page: Page): Promise<void> => {
        await page.goto(`http://localhost:${String(port)}/`);
        await page.getByText('there').click();
      };
      const known = await web.browser.logIn(web.daemon, { path: '/settings' });
      await follow(known);
      await known.getByRole('heading', { name: 'Lobby' }).waitFor();
      expect(known.url()).toBe(`${web.daemon.url}/c/lobby`);
      const unknown = await web.browser.visit(`${web.daemon.url}/c/lobby`);
      await follow(unknown);
      await unknown.getByRole('heading', { name: 'This browser is not logged in' }).waitFor();
      // The site itself is the only other server that got a request.
      const asked = `a request to another origin: http://localhost:${String(port)}/`;
      expect(web.browser.takeErrors()).toEqual([asked, asked]);
    } finally {
      elsewhere.close();
    }
  });

  it('W-2 a message is there before the daemon has answered, and is confirmed once', async () => {
    await newChannel('echo');
    const page = await web.browser.logIn(web.daemon, { path: '/c/echo' });
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/channels/echo/messages', async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await box(page).waitFor();
    await say(page, 'is this thing on?');
    const own = message(page, 'is this thing on?');
    await own.getByText('sending…').waitFor();
    expect(await box(page).inputValue()).toBe('');
    release();
    await own.getByText('sending…').waitFor({ state: 'detached' });
    await own.locator('time').waitFor({ state: 'attached' });
    expect(await own.count()).toBe(1);
    const { json } = await web.owner.get<{ messages: unknown[] }>('/v1/channels/echo/messages');
    expect(json.messages).toHaveLength(1);
  });

  it('W-2 a message that is refused says why, and can be discarded', async () => {
    await newChannel('closing');
    const page = await web.browser.logIn(web.daemon, { path: '/c/closing' });
    await box(page).waitFor();
    await page.route('**/v1/channels/closing/messages', async (route) => {
      if (route.request().method() !== 'POST') await route.continue();
      else {
        await web.owner.post('/v1/channels/closing/archive');
        await route.continue();
      }
    });
    await say(page, 'too late');
    const alert = page.getByRole('alert');
    await alert.getByText('Not sent').waitFor();
    await page.getByText('This channel is archived').waitFor();
    // It goes back to where it was written, for who wants to say it otherwise.
    await alert.getByRole('button', { name: 'Edit' }).click();
    await message(page, 'too late').waitFor({ state: 'detached' });
    await web.owner.post('/v1/channels/closing/unarchive');
    await box(page).waitFor();
    expect(await box(page).inputValue()).toBe('too late');
    // That the call was refused is what the browser itself complains about.
    expect(web.browser.takeErrors().join('\n')).toMatch(/^.*409.*closing\/messages\)$/);
  });

  it('W-5 what was on its way when the page was loaded again is sent by the next page, once and in order', async () => {
    await newChannel('outbox');
    const page = await web.browser.logIn(web.daemon, { path: '/c/outbox', isInterrupted: true });
    await box(page).waitFor();
    const posts = '**/v1/channels/outbox/messages';
    await page.route(posts, (route) =>
      route.request().method() === 'POST' ? route.abort('connectionrefused') : route.continue(),
    );
    await say(page, 'first of two');
    await say(page, 'second of two');
    await message(page, 'first of two').getByText('waiting for the daemon').waitFor();
    await page.unroute(posts);
    await page.reload();
    for (const text of ['first of two', 'second of two']) {
      await message(page, text).locator('time').waitFor({ state: 'attached' });
      expect(await message(page, text).count(), text).toBe(1);
    }
    const { json } = await web.owner.get<{ messages: Message[] }>('/v1/channels/outbox/messages');
    expect(json.messages.map(({ inputItems }) => inputItems)).toEqual([
      [{ type: 'text', text: 'first of two' }],
      [{ type: 'text', text: 'second of two' }],
    ]);
  });

  it("W-2 an agent's draft streams in, marked as one, and becomes the message without a reload", async () => {
    const story = 'Once upon a time there was a channel in which nobody had to wait. '
      .repeat(60)
      .trim();
    const testChannel = await TestChannel.open(web.owner, {
      channelId: 'story',
      workspace: process.cwd(),
    });
    await testChannel.invite('teller', { kind: 'builtin' });
    const hold = gate();
    model.script([
      useTools([toolCall('emit_output', { content: story })], { chunkSize: 8, gate: hold }),
      answer('That is done.'),
    ]);
    const page = await web.browser.logIn(web.daemon, { path: '/c/story' });
    await box(page).waitFor();
    // Everything that is shown of it on the way, draft or message, however briefly.
    await page.evaluate(`
      window.seen = [];
      new MutationObserver(() => {
        const shown = [...document.querySelectorAll('article')].flatMap((article) => {
          const text = article.querySelector('.prose-message')?.textContent ?? '';
          if (!text.startsWith('Once')) return [];
          return [article.querySelector('[data-draft]') ? 'draft: ' + text : text];
        });
        const now = shown.join(' + ');
        if (now !== '' && now !== window.seen.at(-1)) window.seen.push(now);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    await say(page, 'tell me');
    const draft = page.getByRole('article').filter({ has: page.locator('[data-draft]') });
    let shown = '';
    for (const stage of ['begins', 'goes on', 'goes on still']) {
      const before = shown;
      const grown = async (): Promise<boolean> => {
        hold.release();
        shown = (await draft.locator('[data-draft]').allTextContents()).join();
        return shown.length > before.length;
      };
      await until(`the draft ${stage}`, grown, { everyMs: 50 });
      expect(story.startsWith(shown), shown).toBe(true);
    }
    expect(shown.length).toBeLessThan(story.length);
    await draft.getByText('is writing…').waitFor();
    hold.open();
    await message(page, story).waitFor();
    await draft.waitFor({ state: 'detached' });
    const seen = await page.evaluate<string[]>('window.seen');
    expect(seen.at(-1)).toBe(story);
    expect(seen.length).toBeGreaterThan(3);
    // It grew, and never stood beside the message that it became.
    for (const earlier of seen.slice(0, -1)) {
      expect(`draft: ${story}`.startsWith(earlier), earlier).toBe(true);
    }
  });

  it('W-5 the daemon is killed and started again while somebody writes: a banner, nothing lost, nothing twice', async (test) => {
    const first = await startDaemon();
    test.onTestFinished(() => first.cleanUp());
    const port = String(first.port);
    const person = callerOf(first.url, first.token);
    await person.post('/v1/channels', { channelId: 'den', title: 'den' });
    await person.post('/v1/channels/den/messages', { text: 'before' });
    await person.post('/v1/channels', { channelId: 'nook', title: 'Nook' });
    await person.post('/v1/channels/nook/messages', { text: 'in the nook' });
    const page = await web.browser.logIn(first, {
      path: '/settings/appearance',
      isInterrupted: true,
    });
    await page.getByRole('link', { name: 'den' }).click();
    await message(page, 'before').waitFor();
    await box(page).fill('half a sent');

    await first.kill();
    const banner = page.getByText('The daemon does not answer');
    await banner.waitFor();
    await box(page).fill('sent while it was away');
    await box(page).press('Enter');
    await message(page, 'sent while it was away').waitFor();
    // A change is not queued: the page reports the failure and keeps the text.
    await box(page).press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edit the message' });
    await editor.fill('much before');
    await editor.press('Enter');
    await page.getByText('Stoa does not answer: try again when it is back.').waitFor();
    expect(await editor.inputValue()).toBe('much before');
    await editor.press('Escape');
    await box(page).fill('half a sentence');
    // Who looks elsewhere meanwhile finds it when the daemon is back, and what waits is sent from there.
    await page.getByRole('link', { name: 'Nook' }).click();
    await page.getByText('This channel cannot be loaded now').waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('This list loads when it is back.').waitFor();
    await banner.filter({ hasText: 'you cannot change anything' }).waitFor();

    const second = await startDaemon({ home: first.home, env: { STOA_PORT: port } });
    try {
      const again = callerOf(second.url, second.token);
      await again.post('/v1/channels/den/messages', { text: 'missed by the page' });
      await page.getByRole('button', { name: 'Try Stoa' }).waitFor();
      await page.goBack();
      await message(page, 'in the nook').waitFor();
      await until('what waited is sent', async () => {
        const { json } = await again.get<{ messages: unknown[] }>('/v1/channels/den/messages');
        return json.messages.length === 3;
      });
      await page.goBack();
      await message(page, 'missed by the page').waitFor();
      await banner.waitFor({ state: 'detached' });
      await message(page, 'sent while it was away').locator('time').waitFor({ state: 'attached' });
      for (const text of ['before', 'missed by the page', 'sent while it was away']) {
        expect(await message(page, text).count(), text).toBe(1);
      }
      expect(await box(page).inputValue()).toBe('half a sentence');
      const { json } = await again.get<{ messages: unknown[] }>('/v1/channels/den/messages');
      expect(json.messages).toHaveLength(3);
      // What is written outlives the page too.
      await page.reload();
      await message(page, 'before').waitFor();
      expect(await box(page).inputValue()).toBe('half a sentence');
    } finally {
      await second.cleanUp();
    }
  });

  it('W-12 markdown is shown as what it means: code in colours, with a button that copies it', async () => {
    await newChannel('marked');
    const text =
      '# Plan\n\nSome **bold**, `inline`\nand a second line.\n\n```ts\nconst a: number = 1;\n```\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n- [x] done';
    await web.owner.post('/v1/channels/marked/messages', { text });
    const page = await web.browser.logIn(web.daemon, {
      path: '/c/marked',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const message = page.getByRole('article');
    await message.getByRole('heading', { name: 'Plan' }).waitFor();
    await message.getByRole('cell', { name: '2' }).waitFor();
    expect(await message.locator('strong').textContent()).toBe('bold');
    expect(await message.getByRole('checkbox').isChecked()).toBe(true);
    await message.locator('pre [style*=color]').first().waitFor();
    expect(await message.locator('pre').textContent()).toBe('const a: number = 1;');
    const colours = await page.evaluate<string[]>(
      `[...document.querySelectorAll('pre span span')].map((token) => getComputedStyle(token).color)`,
    );
    expect(new Set(colours).size).toBeGreaterThan(1);

    await message.locator('pre').hover();
    await message.getByRole('button', { name: 'Copy the code' }).click();
    await message.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('const a: number = 1;');
  });

  it('W-12 what would run, or tell others who reads, does nothing', async () => {
    await newChannel('hostile');
    const hostile = [
      '<script>window.ran = 1</script>',
      '<img src=x onerror="window.ran = 2">',
      '<svg onload="window.ran = 3"><script>window.ran = 4</script></svg>',
      '[a](javascript:window.ran=5) [b](data:text/html,<script>window.ran=6</script>)',
      '![beacon](https://tracker.invalid/pixel.png) ![svg](data:image/svg+xml,<svg/onload=alert(1)>)',
      '<iframe src="https://tracker.invalid"></iframe>',
      '<https://fine.invalid/>',
    ].join('\n\n');
    await web.owner.post('/v1/channels/hostile/messages', { text: hostile });
    const page = await web.browser.logIn(web.daemon, { path: '/c/hostile' });
    const message = page.getByRole('article');
    await message.getByText('<script>window.ran = 1</script>').waitFor();
    expect(await message.locator('script, img, iframe, object').count()).toBe(0);
    const links = await Promise.all(
      (await message.getByRole('link').all()).map((link) =>
        Promise.all([link.getAttribute('href'), link.getAttribute('rel')]),
      ),
    );
    const rel = 'noopener noreferrer nofollow';
    expect(links).toEqual([
      ['https://tracker.invalid/pixel.png', rel],
      ['https://fine.invalid/', rel],
    ]);
    expect(await page.evaluate(`'ran' in window`)).toBe(false);

    // If a defect lets something through, the content security policy still stops it.
    const policy = (await page.request.get(page.url())).headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    const ran = await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'window.ran = 7';
      document.body.append(script);
      'ran' in window
    `);
    expect(ran).toBe(false);
    const complaints = web.browser.takeErrors();
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toContain('Content Security Policy');
  });
});
