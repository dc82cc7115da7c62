import { BrowserStage, NO_BROWSER, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';

describe('the feed of a channel, in a browser', () => {
  let daemon: TestDaemon;
  let stage: BrowserStage | undefined;

  beforeAll(async () => {
    [daemon, stage] = await Promise.all([
      startDaemon({ env: { STOA_LOBBY: 'auto' } }),
      BrowserStage.open(),
    ]);
  });
  afterEach(() => {
    expect(stage?.takeComplaints() ?? []).toEqual([]);
  });
  afterAll(async () => {
    await stage?.close();
    await daemon.cleanUp();
  });

  function browser(test: TestContext): BrowserStage {
    return stage ?? test.skip(NO_BROWSER);
  }

  it('W-1 the link printed at the start leads to the lobby with its residents and a box to write in', async (test) => {
    const page = await browser(test).visit(daemon.loginUrl);
    await page.getByRole('heading', { name: 'Lobby' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/c/lobby');
    await page.getByText('This is the lobby').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
  });
});
