// `npm run screenshots`: pictures of the web UI for the documentation, into docs/images/web-*.png. Of the real
// daemon and a real browser; times and ids differ from run to run.
import { Buffer } from 'node:buffer';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import UPNG from 'upng-js';
import { bundleKit, kitFile } from '../../scripts/bundle-kit.mjs';
import { prepare } from '../../scripts/prepare.mjs';
import { command, root } from '../../scripts/run.mjs';
import { playStory } from './screenshot-story.mjs';

const images = path.join(root, 'docs/images');
const largest = 150 * 1024;

const desk = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, hasTouch: true };

await command(async () => {
  await prepare();
  await bundleKit();
  const testkit = await import(pathToFileURL(kitFile('@stoa/testkit')).href);
  const browser = await testkit.TestBrowser.open();
  if (browser === undefined) {
    console.error(`Pictures need a browser; ${testkit.NO_BROWSER}.`);
    return 1;
  }
  try {
    const story = await playStory(testkit);
    try {
      await takePictures(browser, story);
    } finally {
      await story.end();
    }
  } finally {
    await browser.close();
  }
  return 0;
});

async function takePictures(browser, { daemon, thread }) {
  const open = (options) => browser.logIn(daemon, { ...desk, colorScheme: 'light', ...options });

  const page = await open({ path: thread });
  await page.getByText('back by accident').last().waitFor();
  await tellOfMissingEmoji(page);
  // The explanation for newcomers is dismissed, as by anybody who has read it.
  const dismiss = page.getByRole('button', { name: /dismiss|got it/i });
  if ((await dismiss.count()) > 0) await dismiss.first().click();
  // The thread stays open beside the newest messages.
  await page.getByRole('button', { name: 'Newest' }).click();
  await page.getByText('Since Tuesday').waitFor();
  await page.getByRole('button', { name: '2 waiting for you' }).waitFor();
  await page.getByRole('button', { name: 'Background tasks' }).waitFor();
  await picture(page, 'web-channel');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'web-channel-dark');
  await page.emulateMedia({ colorScheme: 'light' });

  const objection = page.getByRole('article').filter({ hasText: 'back by accident' }).last();
  await objection.hover();
  await objection.getByRole('button', { name: 'Why did they speak?' }).click();
  await page.getByText('got the turn because').waitFor();
  await picture(page, 'web-why');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Background tasks' }).click();
  await page.getByRole('region', { name: 'Output' }).getByText('waiting for changes').waitFor();
  await picture(page, 'web-tasks');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: '2 waiting for you' }).click();
  await page.getByRole('region', { name: 'Diff' }).waitFor();
  await picture(page, 'web-approvals');
  await page.keyboard.press('Escape');

  await page.goto(`${daemon.url}/c/lobby/timeline`);
  await page.getByText('plan for the release').first().waitFor();
  await picture(page, 'web-timeline');
  await page.context().close();

  const small = await open({ ...phone, path: thread });
  await small.getByText('back by accident').last().waitFor();
  await picture(small, 'web-phone');
  await small.context().close();

  const complaints = browser.takeErrors();
  if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`);
}

async function picture(page, name) {
  await page.mouse.move(0, 0);
  await page.waitForLoadState('networkidle');
  const file = path.join(images, `${name}.png`);
  const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const bytes = with256Colours(taken);
  fs.writeFileSync(file, bytes);
  const size = bytes.length;
  console.log(`docs/images/${name}.png  ${Math.round(size / 1024)} KB`);
  if (size > largest) throw new Error(`${name}.png is larger than ${largest / 1024} KB`);
}

/** A page has few colours: 256 of them give a third of the size that browsers write. */
function with256Colours(png) {
  const image = UPNG.decode(png);
  return Buffer.from(UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, 256));
}

/* global document -- one function runs in the page */

/** Without a font of colours an emoji is an empty box, which is what a picture would show of every reaction. */
async function tellOfMissingEmoji(page) {
  const isColoured = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    context.font = '20px sans-serif';
    context.fillText('✅', 0, 20);
    const { data } = context.getImageData(0, 0, 30, 30);
    return data.some((value, at) => at % 4 === 1 && value !== data[at - 1]);
  });
  if (!isColoured) {
    console.warn(
      'There is no font with emoji here: reactions will be empty boxes (on Debian: fonts-noto-color-emoji).',
    );
  }
}
