import { describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from './find-browser.js';

const NOWHERE = ['/nowhere/chromium'];

describe('the browser of the tests', () => {
  it('is where it is said to be, or in the first usual place that exists', () => {
    expect(findBrowser({ CHROMIUM_PATH: '/opt/chromium' }, NOWHERE)).toBe('/opt/chromium');
    expect(findBrowser({ CHROMIUM_PATH: '' }, [...NOWHERE, process.execPath])).toBe(
      process.execPath,
    );
  });

  it('may be missing on somebody’s machine, and not in CI', () => {
    expect(findBrowser({}, NOWHERE)).toBeUndefined();
    expect(findBrowser({ CHROMIUM_PATH: 'off' }, [process.execPath])).toBeUndefined();
    expect(() => findBrowser({ CI: 'true' }, NOWHERE)).toThrow(NO_BROWSER);
  });
});
