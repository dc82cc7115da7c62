import { describe, expect, it } from 'vitest';
import { findBrowser, NO_BROWSER } from './find-browser.js';

const NOWHERE = ['/nowhere/chromium'];

describe('the browser of the tests', () => {
  it('is at the path that the environment names, or at the first usual path that exists', () => {
    expect(findBrowser({ CHROMIUM_PATH: '/opt/chromium' }, NOWHERE)).toBe('/opt/chromium');
    expect(findBrowser({ CHROMIUM_PATH: '' }, [...NOWHERE, process.execPath])).toBe(
      process.execPath,
    );
  });

  it('may be missing on a developer’s machine, but not in CI', () => {
    expect(findBrowser({}, NOWHERE)).toBeUndefined();
    expect(findBrowser({ CHROMIUM_PATH: 'off' }, [process.execPath])).toBeUndefined();
    expect(() => findBrowser({ CI: 'true' }, NOWHERE)).toThrow(NO_BROWSER);
  });
});
