import { existsSync } from 'node:fs';

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const NO_BROWSER = 'no Chromium here: install it, or set CHROMIUM_PATH to its path';

/**
 * The path of Chromium or Chrome: the one in `CHROMIUM_PATH`, or the first usual path that exists. `off` means that there is none.
 * Tests are skipped without a browser, except if `CI` is set: then this throws.
 */
export function findBrowser(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
  paths: readonly string[] = PATHS,
): string | undefined {
  const named = environment['CHROMIUM_PATH'];
  const isOff = named === 'off';
  if (named !== undefined && named !== '' && !isOff) return named;
  const found = isOff ? undefined : paths.find((path) => existsSync(path));
  if (found === undefined && (environment['CI'] ?? '') !== '') throw new Error(NO_BROWSER);
  return found;
}
