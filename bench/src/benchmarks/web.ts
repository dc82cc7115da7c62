import { findBrowser, NO_BROWSER, type Page, TestBrowser } from '@stoa/testkit';
import { type Benchmark, Skipped } from '../benchmark.js';
import type { Pair } from '../measure/alternate.js';
import { figureOf } from '../measure/figure.js';
import { type Daemon, startDaemon } from '../world/daemon.js';
import { openDirectory } from '../world/directory.js';
import { channelName } from '../world/history.js';
import { prepareHistory } from '../world/prepared-history.js';

const OPENED_MS = 1_500;
const FRAME_MS = 50;
const ECHO_MS = 50;
const NODES = 3_000;
/** One screen in about three frames: as fast as somebody who looks for something scrolls. */
const SCROLLED = { frames: 120, px: 250 };

export const web: Benchmark = {
  description: 'the page: opened, scrolled through a long channel, posted to; each ÷ its limit',
  async run(form, scope) {
    if (findBrowser() === undefined) throw new Skipped(NO_BROWSER);
    const runs = form === 'short' ? 3 : 15;
    // A tenth of them in each channel.
    const messages = form === 'short' ? 20_000 : 1_000_000;
    const home = openDirectory(scope);
    await prepareHistory(scope, home, [messages]);
    const long = await startDaemon(scope, home);
    await long.client.members.upsert(channelName(0));
    const demo = await startDaemon(scope, openDirectory(scope), { STOA_LOBBY: 'auto' });
    const browser = await TestBrowser.open();
    if (!browser) throw new Skipped(NO_BROWSER);
    scope.defer(() => browser.close());

    const lobby = await pageOf(browser, demo, '/c/lobby');
    const page = await pageOf(browser, long, `/c/${channelName(0)}`);
    const [opened, openedLong, frames, nodes, echoes]: [Pair[], Pair[], Pair[], Pair[], Pair[]] = [
      [],
      [],
      [],
      [],
      [],
    ];
    for (let run = 0; run < runs; run++) {
      opened.push({ ours: await openAgain(lobby), peer: OPENED_MS });
      openedLong.push({ ours: await openAgain(page), peer: OPENED_MS });
      echoes.push({ ours: await echo(page, `echo ${run}`), peer: ECHO_MS });
      const scrolled = await scrollBack(page);
      frames.push({ ours: scrolled.longest, peer: FRAME_MS });
      nodes.push({ ours: scrolled.nodes, peer: NODES });
    }
    const size = `${messages / 10} messages`;
    const label = { bench: 'web', unit: 'ms', goal: '<=1' } as const;
    return [
      figureOf({ ...label, part: 'the demo, until one can write' }, opened),
      figureOf({ ...label, part: `${size}, until one can write` }, openedLong),
      figureOf({ ...label, part: `${size}, longest frame while scrolling` }, frames),
      figureOf({ ...label, part: `${size}, nodes`, unit: 'nodes' }, nodes),
      figureOf({ ...label, part: 'posted until it is seen' }, echoes),
    ];
  },
};

async function pageOf(browser: TestBrowser, daemon: Daemon, path: string): Promise<Page> {
  const page = await browser.logIn(
    { url: `http://127.0.0.1:${daemon.port}`, token: daemon.token },
    {
      path,
    },
  );
  await isOpen(page);
  return page;
}

const log = '[role=log][aria-busy=false]';

async function isOpen(page: Page): Promise<void> {
  await page.locator(`${log} [data-message-id]`).first().waitFor();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

async function openAgain(page: Page): Promise<number> {
  // A page behind another one draws nothing.
  await page.bringToFront();
  const started = performance.now();
  await page.reload();
  await isOpen(page);
  return performance.now() - started;
}

/** From the key to the frame that shows it. */
async function echo(page: Page, text: string): Promise<number> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  // First it looks, then the key is pressed: the two take different ways to the page.
  await page.evaluate(`{
    let pressed = 0;
    const press = () => { pressed = performance.now(); };
    addEventListener('keydown', press, { capture: true, once: true });
    globalThis.seen = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('[role=log]').textContent.includes(${JSON.stringify(text)})) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - pressed));
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    undefined;
  }`);
  await page.keyboard.press('Enter');
  return page.evaluate<number>('seen');
}

interface Scrolled {
  readonly longest: number;
  readonly nodes: number;
}

/** Back through the channel, a step a frame; the longest of the frames, and the most nodes of any. */
function scrollBack(page: Page): Promise<Scrolled> {
  return page.evaluate<Scrolled>(`new Promise((resolve) => {
    const scroller = document.querySelector('[role=log]');
    // Counted without looking for them.
    const all = document.getElementsByTagName('*');
    let [last, longest, nodes, left] = [0, 0, 0, ${SCROLLED.frames}];
    const step = (now) => {
      if (last > 0) longest = Math.max(longest, now - last);
      last = now;
      nodes = Math.max(nodes, all.length);
      scroller.scrollTop -= ${SCROLLED.px};
      left -= 1;
      if (left === 0) resolve({ longest, nodes });
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
}
