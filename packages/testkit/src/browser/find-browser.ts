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

/** Chromium or Chrome: where `CHROMIUM_PATH` says, or in one of the usual places. */
export function findBrowser(): string | undefined {
  const told = process.env['CHROMIUM_PATH'];
  if (told !== undefined && told !== '') return told;
  return PLACES.find((place) => existsSync(place));
}
