import type { TestDaemon } from '../daemon/start-daemon.js';
import { findBrowser } from './find-browser.js';
import { TestBrowser } from './test-browser.js';

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
