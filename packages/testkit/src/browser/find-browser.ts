import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const NO_BROWSER = 'no Chromium here: install it, or say in CHROMIUM_PATH where it is';

/**
 * Chromium or Chrome: where `CHROMIUM_PATH` says, or in one of the usual places; `off` stands for a machine
 * without one. Where there is none the tests that need it say so, except where `CI` is set: there it must be had.
 */
export function findBrowser(
  environment: Readonly<NodeJS.ProcessEnv> = process.env,
  places: readonly string[] = PLACES,
): string | undefined {
  const told = environment['CHROMIUM_PATH'];
  const isOff = told === 'off';
  if (told !== undefined && told !== '' && !isOff) return told;
  const found = isOff ? undefined : places.find((place) => existsSync(place));
  if (found === undefined && (environment['CI'] ?? '') !== '') throw new Error(NO_BROWSER);
  return found;
}
