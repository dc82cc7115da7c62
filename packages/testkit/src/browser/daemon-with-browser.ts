import type { TestDaemon } from '../daemon/start-daemon.js';
import { BrowserStage } from './browser-stage.js';
import { findBrowser } from './find-browser.js';

export interface DaemonWithBrowser {
  readonly daemon: TestDaemon;
  readonly stage: BrowserStage;
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
  const opening = BrowserStage.open();
  try {
    const [daemon, stage] = await Promise.all([starting, opening]);
    if (!stage) throw new Error('the browser is gone');
    const cleanUp = async (): Promise<void> => {
      try {
        await stage.close();
      } finally {
        await daemon.cleanUp();
      }
    };
    return { daemon, stage, cleanUp };
  } catch (error) {
    await Promise.allSettled([
      starting.then((daemon) => daemon.cleanUp()),
      opening.then((stage) => stage?.close()),
    ]);
    throw error;
  }
}
