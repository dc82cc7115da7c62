import {
  type Caller,
  callerOf,
  NO_BROWSER,
  startDaemon,
  startWithBrowser,
  type TestBrowser,
  type TestDaemon,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';

interface WebTestOptions {
  readonly start?: () => Promise<TestDaemon>;
  /** Runs once, when the daemon and the browser are ready. */
  readonly prepare?: () => Promise<void>;
  /** Errors that tests cause in a page on purpose. */
  readonly expectedErrors?: RegExp;
  /** Whether pages stay open from one test to the next. */
  readonly keepsPages?: boolean;
}

/** Available from `prepare` on. */
export interface WebTests {
  daemon: TestDaemon;
  browser: TestBrowser;
  owner: Caller;
}

/**
 * Starts one daemon and one browser for the tests of the surrounding `describe`. Without a browser it starts neither and
 * skips the tests. A test fails if a page reports an error.
 */
export function webTests({
  start = startDaemon,
  prepare,
  expectedErrors,
  keepsPages = false,
}: WebTestOptions = {}): WebTests {
  const web = {} as WebTests;
  let cleanUp: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const started = await startWithBrowser(start);
    if (!started) return;
    cleanUp = () => started.cleanUp();
    const { daemon, browser } = started;
    Object.assign(web, { daemon, browser, owner: callerOf(daemon.url, daemon.token) });
    await prepare?.();
  });
  beforeEach((test) => {
    if (!cleanUp) test.skip(NO_BROWSER);
  });
  afterEach(async () => {
    if (!cleanUp) return;
    const errors = web.browser.takeErrors();
    expect(errors.filter((text) => !expectedErrors?.test(text))).toEqual([]);
    if (!keepsPages) await web.browser.closePages();
  });
  afterAll(() => cleanUp?.());
  return web;
}
