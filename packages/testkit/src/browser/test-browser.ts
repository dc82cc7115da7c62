import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { callerOf } from '../daemon/caller.js';
import type { TestDaemon } from '../daemon/start-daemon.js';
import { findBrowser } from './find-browser.js';

export type { Page };

/** Errors that are expected while the daemon is away. */
const EXPECTED =
  /ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|WebSocket connection to/;

export interface OpenOptions extends BrowserContextOptions {
  /** The path to open after the login; the start page by default. */
  readonly path?: string;
  /** The token of the person who logs in; the owner's by default. */
  readonly token?: string;
  /** Whether the daemon stops while the page is open. */
  readonly isInterrupted?: boolean;
}

/** Presses the button of the login page and waits for the next page. */
export async function confirmLogin(page: Page): Promise<void> {
  const there = page.waitForURL(({ pathname }) => pathname !== '/login', {
    waitUntil: 'domcontentloaded',
  });
  await page.getByRole('button', { name: 'Log in' }).click();
  await there;
}

/** One browser for a file of tests; every page has its own cookies and storage. */
export class TestBrowser {
  private readonly errors: string[] = [];

  private constructor(private readonly browser: Browser) {}

  /** Undefined without a browser; tests are then skipped with the reason `NO_BROWSER`. */
  static async open(): Promise<TestBrowser | undefined> {
    const executablePath = findBrowser();
    if (executablePath === undefined) return undefined;
    // Imported here because it is large and few tests need it.
    const { chromium } = await import('playwright-core');
    // Its sandbox does not work for root, and the pages here are ours.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page after a login. */
  async logIn(daemon: Pick<TestDaemon, 'url' | 'token'>, options: OpenOptions = {}): Promise<Page> {
    const owner = callerOf(daemon.url, options.token ?? daemon.token);
    const { json } = await owner.post<{ url: string }>('/v1/login-codes');
    const page = await this.blank(daemon.url, options);
    await page.goto(json.url);
    await confirmLogin(page);
    const { path = '/' } = options;
    if (path !== '/') await page.goto(daemon.url + path);
    return page;
  }

  /** A page without a login. */
  async visit(url: string, options: OpenOptions = {}): Promise<Page> {
    const page = await this.blank(url, options);
    await page.goto(url);
    return page;
  }

  private async blank(
    url: string,
    { isInterrupted = false, ...options }: OpenOptions,
  ): Promise<Page> {
    const { path: _, token: __, ...rest } = options;
    const context = await this.browser.newContext({
      viewport: { width: 1200, height: 800 },
      ...rest,
    });
    const page = await context.newPage();
    const report = (text: string): void => {
      if (!(isInterrupted && EXPECTED.test(text))) this.errors.push(text);
    };
    page.on('console', (message) => {
      if (message.type() === 'error') report(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => report(String(error.stack ?? error)));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin) {
        report(`a request to another origin: ${request.url()}`);
      }
    });
    return page;
  }

  /** For the end of a test: an unused page would continue to render. */
  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  /** The errors of all pages since the last call; for the end of every test. */
  takeErrors(): string[] {
    return this.errors.splice(0);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

export interface DaemonWithBrowser {
  readonly daemon: TestDaemon;
  readonly browser: TestBrowser;
  /** Closes the browser, and then does what `cleanUp` of the daemon does. */
  cleanUp(): Promise<void>;
}

/**
 * A daemon and a browser for the tests of a file. Undefined where there is no browser: then no daemon is started,
 * and the tests are skipped before they begin, with `NO_BROWSER` as their reason. If one of the two cannot be started,
 * the other is ended.
 */
export async function startWithBrowser(
  start: () => Promise<TestDaemon>,
): Promise<DaemonWithBrowser | undefined> {
  if (findBrowser() === undefined) return undefined;
  const starting = start();
  const opening = TestBrowser.open();
  try {
    const [daemon, browser] = await Promise.all([starting, opening]);
    if (!browser) throw new Error('the browser is gone');
    const cleanUp = async (): Promise<void> => {
      try {
        await browser.close();
      } finally {
        await daemon.cleanUp();
      }
    };
    return { daemon, browser, cleanUp };
  } catch (error) {
    await Promise.allSettled([
      starting.then((daemon) => daemon.cleanUp()),
      opening.then((browser) => browser?.close()),
    ]);
    throw error;
  }
}
