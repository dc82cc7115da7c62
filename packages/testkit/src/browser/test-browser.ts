import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { callerOf } from '../daemon/caller.js';
import type { TestDaemon } from '../daemon/start-daemon.js';
import { findBrowser } from './find-browser.js';

export type { Page };

/** Loading what a test asked to fail is no error of the page. */
const EXPECTED =
  /ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|WebSocket connection to/;

export interface OpenOptions extends BrowserContextOptions {
  /** Where to go after the login; the start page unless said. */
  readonly path?: string;
  /** Whose browser it is; the owner's unless said. */
  readonly token?: string;
  /** Whether the daemon is going to be away for a while. */
  readonly isInterrupted?: boolean;
}

/** Presses the button of the login page and waits until the page behind it is there. */
export async function confirmLogin(page: Page): Promise<void> {
  const there = page.waitForURL(({ pathname }) => pathname !== '/login', {
    waitUntil: 'domcontentloaded',
  });
  await page.getByRole('button', { name: 'Log in' }).click();
  await there;
}

/** One browser for a file of tests; every page has cookies and storage of its own, as another person's has. */
export class TestBrowser {
  private readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  /** Undefined where there is no browser: the tests are skipped then, with `NO_BROWSER` as their reason. */
  static async open(): Promise<TestBrowser | undefined> {
    const executablePath = findBrowser();
    if (executablePath === undefined) return undefined;
    // Loaded here: it is large, and few tests need it.
    const { chromium } = await import('playwright-core');
    // Its own sandbox does not work for root, and what it shows here is ours.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page of somebody who opened a login link and confirmed it. */
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

  /** A page of somebody who has not been here before. */
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
    const complain = (text: string): void => {
      if (!(isInterrupted && EXPECTED.test(text))) this.complaints.push(text);
    };
    page.on('console', (message) => {
      if (message.type() === 'error') complain(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complain(String(error.stack ?? error)));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(url).origin) {
        complain(`a request to another place: ${request.url()}`);
      }
    });
    return page;
  }

  /** For the end of a test: what is not looked at any longer goes on drawing. */
  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  /** What went wrong in any page since it was asked last; for the end of every test. */
  takeErrors(): string[] {
    return this.complaints.splice(0);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}
