import {
  callerOf,
  fillChannels,
  type Page,
  startDaemon,
  type TestDaemon,
  until,
  withDatabaseFile,
} from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { webTests } from '../web-tests.js';

const MESSAGES = 100_000;
const OPENED_MS = 1_500;
const NODES = 3_000;
/** The messages were written within a few minutes of it. */
const THEIR_DAY = '2020-09-13';

describe('a channel of 100,000 messages, in a browser', () => {
  const startFilled = async (): Promise<TestDaemon> => {
    const before = await startDaemon({ checkAtEnd: false });
    const owner = callerOf(before.url, before.token);
    await owner.post('/v1/channels', { channelId: 'long', title: 'Long' });
    await before.stop();
    withDatabaseFile(before.home, (db) => {
      fillChannels(db, MESSAGES);
    });
    return startDaemon({ home: before.home, checkAtEnd: false });
  };

  const web = webTests({ start: startFilled });

  const opened = async (): Promise<Page> => {
    const page = await web.browser.logIn(web.daemon, { path: '/c/long' });
    await newest(page).waitFor();
    return page;
  };
  const newest = (page: Page) => page.getByText(`message ${String(MESSAGES)}`, { exact: true });
  const nodes = (page: Page): Promise<number> =>
    page.evaluate('document.querySelectorAll("*").length');
  const log = (page: Page) => page.getByRole('log', { name: 'Messages' });

  it('W-6 is there within a second and a half, with a small page however far one scrolls', async () => {
    const page = await opened();
    const times: number[] = [];
    // The best of three: other load on this machine must not count.
    for (let i = 0; i < 3; i++) {
      const started = performance.now();
      await page.reload();
      await newest(page).waitFor();
      times.push(performance.now() - started);
    }
    expect(Math.min(...times)).toBeLessThan(OPENED_MS);
    expect(await nodes(page)).toBeLessThan(NODES);

    await log(page).focus();
    // Each press goes on from where the last one led, and more is loaded before it is missed.
    let oldest = MESSAGES;
    for (let presses = 0; oldest > MESSAGES - 300 && presses < 200; presses++) {
      await page.keyboard.press('Home');
      oldest = await firstNumber(page);
    }
    expect(oldest).toBeLessThanOrEqual(MESSAGES - 300);
    expect(await nodes(page)).toBeLessThan(NODES);
    await page.getByRole('button', { name: 'Newest' }).click();
    await newest(page).waitFor();
    await atRest(page);

    // As soon as one can, while the key is still being answered.
    await log(page).focus();
    await page.evaluate(`addEventListener('keydown', () => {
      const click = () => {
        const buttons = [...document.querySelectorAll('button')];
        const newest = buttons.find((button) => button.textContent.includes('Newest'));
        if (newest) newest.click();
        else requestAnimationFrame(click);
      };
      click();
    }, { once: true })`);
    await page.keyboard.press('Home');
    await atRest(page);
    expect(await newest(page).isVisible()).toBe(true);
  });

  it('W-6 jumps to a day, and from a search result to its message', async () => {
    const page = await opened();
    await goToDay(page, THEIR_DAY);
    await page.getByText('message 1', { exact: true }).waitFor();
    expect(await nodes(page)).toBeLessThan(NODES);

    await goToDay(page, '2199-01-01');
    await page.getByText('There are no messages since then.').waitFor();
    await page.keyboard.press('Escape');

    // They were written directly to the store, and the daemon indexes them asynchronously.
    await until('the message is found', async () => {
      const { json } = await web.owner.get<{ hits: unknown[] }>('/v1/search?query=61803');
      return json.hits.length > 0;
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('message 61803');
    await page.getByRole('option', { name: 'message 61803' }).click();
    const found = log(page).getByText('message 61803', { exact: true });
    await found.waitFor();
    expect(await nodes(page)).toBeLessThan(NODES);

    // With a thread open, and to the day one was led to before.
    await goToDay(page, THEIR_DAY);
    await log(page).getByText('message 1', { exact: true }).waitFor();
    // On a machine with much to do more is loaded around a message before the page has been drawn there.
    await page.evaluate(`
      const frame = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (run) => setTimeout(() => frame(run), 200);
      window.cancelAnimationFrame = clearTimeout;
    `);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('message 61803');
    await page.getByRole('option', { name: 'message 61803' }).click();
    await found.waitFor();
    await page.evaluate(`new Promise((drawn) => {
      let left = 5;
      const next = () => (left-- > 0 ? requestAnimationFrame(next) : drawn());
      next();
    })`);
    // Who closes the thread stays where they are.
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Thread' }).waitFor({ state: 'detached' });
    await page.evaluate(`fetch('/healthz').then((answer) => answer.text())`);
    await found.waitFor();
  });

  /** By its keys; of a slow page the second may come too late to belong to the first. */
  async function goToDay(page: Page, day: string): Promise<void> {
    const field = page.getByRole('textbox', { name: 'Day', exact: true });
    await until('a day is asked for', async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('d');
      return field.isVisible();
    });
    await field.fill(day);
    await page.keyboard.press('Enter');
  }

  /** The list has not moved for some frames. */
  async function atRest(page: Page): Promise<void> {
    await page.evaluate(`new Promise((rests) => {
      const list = document.querySelector('[role=log][aria-label=Messages]');
      let [top, still] = [-1, 0];
      const look = () => {
        still = list.scrollTop === top ? still + 1 : 0;
        top = list.scrollTop;
        if (still < 20) requestAnimationFrame(look);
        else rests();
      };
      look();
    })`);
  }

  /** The number of the first message that the page holds. */
  async function firstNumber(page: Page): Promise<number> {
    const first = await log(page).locator('[data-message-id]').first().innerText();
    return Number(/^message (\d+)$/m.exec(first)?.[1] ?? Number.POSITIVE_INFINITY);
  }
});
