import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel, Member, Message } from '@stoa/protocol';
import { type Caller, callerOf, newPerson, type Page, startDaemon, until } from '@stoa/testkit';
import { describe, expect, it } from 'vitest';
import { scripted, TestChannel } from '../test-channel.js';
import { webTests } from '../web-tests.js';

/** A picture of one red dot. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

type Locator = ReturnType<Page['getByRole']>;

async function isInView(found: Locator): Promise<boolean> {
  const box = await found.boundingBox();
  const { height = 0 } = found.page().viewportSize() ?? {};
  return box !== null && box.y > 0 && box.y + box.height < height;
}

/** What Chromium scrolls for a key goes on for a while, and what is loaded on the way moves the rest. */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(`new Promise((rest) => {
    const log = document.querySelector('[role=log][aria-label=Messages]');
    let [last, frames] = ['', 0];
    const look = () => {
      const now = log.scrollTop + ' ' + log.scrollHeight;
      frames = now === last ? frames + 1 : 0;
      last = now;
      if (frames < 30) requestAnimationFrame(look); else rest();
    };
    look();
  })`);
}

interface Scrolled {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly scrollTop: number;
}

/** How much of what it holds is not seen, beside and below. */
function hiddenIn(found: Locator): Promise<{ readonly beside: number; readonly below: number }> {
  return found.evaluate((shown: unknown) => {
    const box = shown as Scrolled;
    return {
      beside: box.scrollWidth - box.clientWidth,
      below: box.scrollHeight - box.scrollTop - box.clientHeight,
    };
  });
}

interface PastedFile {
  readonly name: string;
  readonly type: string;
  readonly base64?: string;
  /** Of a file that is only large. */
  readonly bytes?: number;
}

/** What the page would be given from the clipboard or by a drag. A text, for these tests know no types of the browser. */
const held = (files: readonly PastedFile[], text = ''): string => `(() => {
  const held = new DataTransfer();
  if (${JSON.stringify(text)} !== '') held.items.add(${JSON.stringify(text)}, 'text/plain');
  for (const { name, type, base64 = '', bytes } of ${JSON.stringify(files)}) {
    const content = bytes === undefined
      ? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      : new Uint8Array(bytes);
    held.items.add(new File([content], name, { type }));
  }
  return held;
})()`;

const paste = (page: Page, files: readonly PastedFile[], text?: string): Promise<unknown> =>
  page.evaluate(`document.querySelector('textarea[aria-label=Message]').dispatchEvent(
    new ClipboardEvent('paste', { clipboardData: ${held(files, text)}, bubbles: true, cancelable: true })
  )`);

describe('talking, in two browsers', () => {
  let anna: Caller;
  let mine: Page;
  let theirs: Page;

  const web = webTests({
    start: () => startDaemon({ env: { STOA_LOBBY: 'auto' } }),
    keepsPages: true,
    prepare: async () => {
      const created = await web.owner.post<Channel>('/v1/channels', {
        channelId: 'room',
        title: 'Room',
      });
      if (created.status !== 201) throw new Error(created.text);
      const { token } = await newPerson(web.daemon, 'anna');
      anna = callerOf(web.daemon.url, token);
      await anna.post<Member>('/v1/channels/room/members', { displayName: 'Anna Lee' });
      [mine, theirs] = await Promise.all([
        web.browser.logIn(web.daemon, { path: '/c/room' }),
        web.browser.logIn(web.daemon, { path: '/c/room', token }),
      ]);
    },
  });

  const message = (page: Page, text: string) =>
    page.getByRole('log', { name: 'Messages' }).getByRole('article').filter({ hasText: text });

  async function write(page: Page, text: string, box = 'Message'): Promise<void> {
    const area = page.getByRole('textbox', { name: box });
    await area.fill(text);
    await area.press('Enter');
  }

  async function stored(text: string): Promise<Message> {
    return until('the message is stored', async () => {
      const { json } = await web.owner.get<{ messages: Message[] }>(
        '/v1/channels/room/messages?limit=100',
      );
      return json.messages.find(({ inputItems }) =>
        inputItems.some((item) => item.type === 'text' && item.text.includes(text)),
      );
    });
  }

  it('W-3 a reply in a thread is seen in the thread and the feed of another browser at once', async () => {
    await write(mine, 'What shall we plant?');
    await message(theirs, 'What shall we plant?').hover();
    await message(theirs, 'What shall we plant?')
      .getByRole('button', { name: 'Reply in thread' })
      .click();
    await theirs.getByRole('heading', { name: 'Thread' }).waitFor();
    await theirs.locator('textarea[aria-label=Reply]:focus').waitFor();
    await theirs.keyboard.type('Tomatoes.');
    await theirs.keyboard.press('Enter');
    await message(mine, 'Tomatoes.').waitFor();
    await mine.getByRole('link', { name: /^1 reply/ }).click();
    const replies = mine.getByRole('log', { name: 'Replies' });
    await replies.getByText('Tomatoes.').waitFor();
    expect((await stored('Tomatoes.')).threadRootMessageId).toBe(
      (await stored('What shall we plant?')).messageId,
    );
    await write(mine, 'And basil.', 'Reply');
    await theirs.getByRole('log', { name: 'Replies' }).getByText('And basil.').waitFor();
    for (const page of [mine, theirs]) {
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Thread' }).waitFor({ state: 'detached' });
    }
  });

  it('W-3 a reaction is set, seen with who it is of, and taken back', async () => {
    const row = message(mine, 'What shall we plant?').first();
    await row.focus();
    await mine.keyboard.press('+');
    await mine.keyboard.press('ArrowRight');
    await mine.keyboard.press('Enter');
    const heart = message(theirs, 'What shall we plant?')
      .first()
      .getByRole('button', { name: '❤️' });
    await heart.waitFor();
    await heart.click();
    const both = row.getByRole('button', { name: '❤️ 2' });
    await both.waitFor();
    expect(await both.getAttribute('title')).toBe('you, Anna Lee');
    await both.click();
    await message(theirs, 'What shall we plant?')
      .first()
      .getByRole('button', { name: '❤️ 1: you' })
      .waitFor();
  });

  it('W-3 an edit and a deletion are seen; a deletion asks once', async () => {
    await write(mine, 'The gate is opne.');
    await message(theirs, 'The gate is opne.').waitFor();
    const { messageId } = await stored('The gate is opne.');
    await write(theirs, 'Something else.');
    await anna.post('/v1/channels/room/messages', {
      text: 'About the gate.',
      threadRootMessageId: messageId,
    });
    const quote = message(theirs, 'About the gate.').getByRole('link', { name: 'gate is' });
    await quote.getByText('opne.').waitFor();
    const area = mine.getByRole('textbox', { name: 'Message', exact: true });
    await area.press('ArrowUp');
    const editor = mine.getByRole('textbox', { name: 'Edit the message' });
    await editor.fill('The gate is **open**.');
    await editor.press('Enter');
    const edited = message(theirs, 'The gate is open.');
    await edited.getByText('edited').waitFor();
    expect(await edited.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await quote.getByText('The gate is open.').waitFor();
    const own = message(mine, 'The gate is open.').first();
    // By keys alone, and back to where one was.
    await own.focus();
    await mine.keyboard.press('Tab');
    await own.locator('[data-action=react]:focus').waitFor();
    await mine.keyboard.press('ArrowLeft');
    await mine.keyboard.press('Enter');
    await mine.getByRole('dialog', { name: 'Delete this message?' }).waitFor();
    await mine.keyboard.press('Escape');
    await own.locator('[data-action=delete]:focus').waitFor();
    await own.hover();
    await own.getByRole('button', { name: 'Delete' }).click();
    const question = mine.getByRole('dialog', { name: 'Delete this message?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await message(theirs, 'This message was deleted.').waitFor();
    await message(theirs, 'About the gate.').getByText('a deleted message').waitFor();
    await edited.waitFor({ state: 'detached' });
  });

  it('W-3 an @ is completed with the keyboard and addresses the member', async () => {
    const area = mine.getByRole('textbox', { name: 'Message', exact: true });
    await area.pressSequentially('Look, @le');
    await mine.getByRole('option', { name: 'Anna Lee' }).waitFor();
    await area.blur();
    await mine.getByRole('option').waitFor({ state: 'detached' });
    await area.focus();
    await mine.getByRole('option', { name: 'Anna Lee' }).waitFor();
    await area.press('Tab');
    expect(await area.inputValue()).toBe('Look, @Anna Lee ');
    await area.pressSequentially('at this');
    await area.press('Enter');
    await message(theirs, 'Look, @Anna Lee at this').waitFor();
    const { json } = await web.owner.get<{ members: Member[] }>('/v1/channels/room/members');
    const anna = json.members.find(({ displayName }) => displayName === 'Anna Lee');
    expect((await stored('Look, @Anna Lee')).addressedMemberIds).toEqual([anna?.memberId]);
  });

  it('W-3 a pasted image has a preview, and others see it; other files are offered for download', async () => {
    const area = mine.getByRole('textbox', { name: 'Message', exact: true });
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="x"</script></svg>';
    await paste(mine, [
      { name: 'dot.png', type: 'image/png', base64: DOT },
      { name: 'plan.svg', type: 'image/svg+xml', base64: btoa(drawing) },
    ]);
    const attached = mine.getByRole('list', { name: 'Attached' });
    await attached.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    // A picture of a text that comes with it is not meant.
    await paste(mine, [{ name: 'table.png', type: 'image/png', base64: DOT }], 'a table');
    expect(await attached.getByText('table.png').count()).toBe(0);
    expect(await attached.locator('img').count()).toBe(1);
    await area.fill('The plan');
    // Who looks elsewhere before it is sent finds it as it was.
    await mine.getByRole('link', { name: /^Lobby/ }).click();
    await attached.waitFor({ state: 'detached' });
    await mine.goBack();
    await attached.getByRole('button', { name: 'Remove plan.svg' }).waitFor();
    expect(await area.inputValue()).toBe('The plan');
    await mine.getByRole('button', { name: 'Send', disabled: false }).waitFor();
    await area.press('Enter');
    const row = message(theirs, 'The plan');
    const image = row.getByRole('img', { name: 'dot.png' });
    await image.waitFor();
    await until('the picture is there', () =>
      theirs.evaluate<boolean>(`document.querySelector('img[alt="dot.png"]').naturalWidth > 0`),
    );
    await row.getByRole('button', { name: 'dot.png' }).click();
    const large = theirs.getByRole('dialog', { name: 'dot.png' });
    expect(await large.getByRole('link', { name: /^Download/ }).getAttribute('download')).toBe(
      'dot.png',
    );
    await theirs.keyboard.press('Escape');
    await large.waitFor({ state: 'detached' });
    await row.locator('button:focus', { has: theirs.getByAltText('dot.png') }).waitFor();
    const link = row.getByRole('link', { name: 'plan.svg' });
    expect(await link.getAttribute('download')).toBe('plan.svg');
    const downloading = theirs.waitForEvent('download');
    await link.click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('plan.svg');
    expect(readFileSync(await file.path(), 'utf8')).toBe(drawing);
    expect(await row.locator('img').count()).toBe(1);
  });

  it('W-3 a file that is dropped and too large, or empty, is refused beside its name', async () => {
    const film = [
      { name: 'film.bin', type: '', bytes: 12 * 1024 * 1024 + 1 },
      { name: 'none.txt', type: '', bytes: 0 },
    ];
    const dataTransfer = await mine.evaluateHandle(held(film));
    await mine.getByRole('log', { name: 'Messages' }).dispatchEvent('drop', { dataTransfer });
    const attached = mine.getByRole('list', { name: 'Attached' });
    await attached.getByText('is more than 12 MB').waitFor();
    await attached.getByText('none.txt is empty: there is nothing to send.').waitFor();
    await attached.getByRole('button', { name: 'Remove none.txt' }).click();
    await attached.getByRole('button', { name: 'Remove film.bin' }).click();
    await attached.waitFor({ state: 'detached' });
  });

  it('W-3 what is attached and not sent is there when the page is loaded again, but for what was removed or collected', async () => {
    await mine.getByRole('textbox', { name: 'Message', exact: true }).fill('Three notes');
    const names = ['dot.png', 'kept.txt', 'removed.txt', 'collected.txt'];
    const [dot = '', ...notes] = names;
    const uploads = names.map((name) =>
      mine.waitForResponse((answer) => answer.url().endsWith(`/v1/assets?name=${name}`)),
    );
    await paste(mine, [
      { name: dot, type: 'image/png', base64: DOT },
      ...notes.map((name) => ({ name, type: 'text/plain', base64: btoa(name) })),
    ]);
    const last = await uploads.at(-1);
    const { assetId } = (await last?.json()) as { assetId: string };
    await Promise.all(uploads);
    const attached = mine.getByRole('list', { name: 'Attached' });
    await attached.getByRole('button', { name: 'Remove removed.txt' }).click();
    await mine.getByRole('button', { name: 'Send', disabled: false }).waitFor();
    expect((await web.owner.delete(`/v1/assets/${assetId}`)).status).toBe(204);
    await mine.reload();
    await mine.getByText('collected.txt was not sent in time').waitFor();
    const image = attached.locator('img');
    await image.waitFor();
    expect(await attached.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('dot.png'),
      expect.stringContaining('kept.txt'),
    ]);
    await mine.getByRole('button', { name: 'Send', disabled: false }).click();
    await message(theirs, 'Three notes').getByRole('link', { name: 'kept.txt' }).waitFor();
    await message(theirs, 'Three notes').getByRole('img', { name: 'dot.png' }).waitFor();
    await attached.waitFor({ state: 'detached' });
    expect(
      await mine.evaluate(`Object.keys(localStorage).filter((key) => key.includes('attached'))`),
    ).toEqual([]);
    // That it was not found is what the browser itself complains about.
    expect(web.browser.takeErrors().join('\n')).toMatch(/^.*404.*\/v1\/assets\/[^/]*\)$/);
  });

  it('W-4 the decision explains why an agent spoke', async () => {
    await mine.getByRole('link', { name: /^Lobby/ }).click();
    await mine.getByRole('heading', { name: 'Lobby' }).waitFor();
    await write(mine, '@reviewer, what do you look for?');
    const answer = mine
      .getByRole('log', { name: 'Messages' })
      .getByRole('article', { name: /^Reviewer/ })
      .last();
    await answer.getByText('agent').waitFor();
    await answer.locator('[data-action=why]').waitFor({ state: 'attached' });
    // It came before the eyes of who asked.
    expect(await mine.getByRole('heading', { name: 'New', exact: true }).count()).toBe(0);
    await answer.focus();
    await mine.keyboard.press('w');
    const why = mine.getByRole('dialog', { name: 'Why did Reviewer speak?' });
    await why.getByText('Reviewer got the turn because it was addressed.').waitFor();
    await why.getByText('others were addressed').first().waitFor();
    await mine.keyboard.press('Escape');
    await why.waitFor({ state: 'detached' });
  });

  it('W-4 a thread that waits says who is next and why not now, and nothing when it is over', async () => {
    await web.owner.patch('/v1/channels/lobby', { paused: true });
    await write(mine, 'hello from the gate');
    await message(mine, 'hello from the gate').hover();
    await message(mine, 'hello from the gate')
      .getByRole('button', { name: 'Reply in thread' })
      .click();
    const turn = mine.getByRole('list', { name: 'Whose turn it is' });
    await turn.getByText('is next, because it').waitFor();
    expect(await turn.textContent()).toContain('it waits because the channel is paused.');
    await web.owner.patch('/v1/channels/lobby', { paused: false });
    await mine
      .getByRole('log', { name: 'Replies' })
      .getByText('I am the host here')
      .first()
      .waitFor();
    await turn.waitFor({ state: 'detached' });
  });

  it('the palette leads to a channel with the keyboard alone, and does what keys do', async () => {
    await mine.getByRole('textbox', { name: 'Message', exact: true }).focus();
    await mine.keyboard.press('Control+k');
    const line = mine.getByRole('combobox');
    await line.waitFor();
    await mine.keyboard.type('room');
    await mine.getByRole('option', { name: 'Room', selected: true }).waitFor();
    await mine.keyboard.press('Enter');
    await mine.getByRole('heading', { name: 'Room' }).waitFor();
    expect(new URL(mine.url()).pathname).toBe('/c/room');
    const purpose = 'What grows where, and who waters it. '.repeat(20);
    await web.owner.patch('/v1/channels/room', { purpose });
    await mine.locator('header').getByText(purpose.trim()).waitFor();
    expect((await hiddenIn(mine.getByTitle(/Anna Lee/).first())).beside).toBe(0);

    await mine.keyboard.press('Control+k');
    await mine.keyboard.type('room');
    const testChannel = mine.getByRole('option', { name: 'Room' }).first();
    await testChannel.getByText('What grows where').waitFor();
    expect((await hiddenIn(testChannel.getByText('Room', { exact: true }))).beside).toBe(0);
    await line.fill('host');
    await mine.getByRole('option', { name: /^Host.*Lobby/i, selected: true }).waitFor();
    await line.fill('timeline');
    await mine.getByRole('option', { name: 'Timeline of Room' }).waitFor();
    await line.fill('new channel');
    await mine.getByRole('option', { name: 'New channel', selected: true }).waitFor();
    await mine.keyboard.press('Enter');
    await mine.getByRole('dialog', { name: 'New channel' }).waitFor();
    await mine.keyboard.type('Shed');
    await mine.keyboard.press('Enter');
    await mine.getByRole('heading', { name: 'Shed' }).waitFor();
    await mine.locator('textarea[aria-label=Message]:focus').blur();

    await mine.keyboard.press('Control+k');
    await mine.keyboard.type('show the keyboard');
    await mine
      .getByRole('option', { name: 'Show the keyboard shortcuts', selected: true })
      .waitFor();
    await mine.keyboard.press('Enter');
    await mine.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await mine.keyboard.press('Escape');
    await mine.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
  });

  it('a search leads to a message far up in the log, and shows it', async () => {
    await web.owner.post('/v1/channels', { channelId: 'long', title: 'Long' });
    for (let i = 0; i < 130; i += 1) {
      await web.owner.post('/v1/channels/long/messages', {
        text: i === 3 ? 'the quince is ripe' : `line ${i}`,
      });
    }
    await mine.keyboard.press('/');
    await mine.getByRole('dialog', { name: 'Search' }).waitFor();
    await mine.keyboard.type('quince');
    const option = mine.getByRole('option', { name: 'the quince is ripe', selected: true });
    await option.locator('mark').getByText('quince', { exact: true }).waitFor();
    // Enter is for what was asked last, not for what was found before.
    const line = mine.getByRole('combobox');
    await line.fill('nobody says this');
    await line.press('Enter');
    await mine.getByText('No results.').waitFor();
    await line.fill('quince');
    await mine.getByRole('option', { name: 'the quince is ripe', selected: true }).waitFor();
    await mine.keyboard.press('Enter');
    const found = message(mine, 'the quince is ripe');
    await found.waitFor();
    await until('it is in view', () => isInView(found));
    await mine.getByRole('heading', { name: 'Thread' }).waitFor();
    await mine.reload();
    await until('the link alone leads there', () => isInView(found));
  });

  it('a reader of earlier messages keeps the scroll offset and the unsent edit', async () => {
    const log = mine.getByRole('log', { name: 'Messages' });
    const more = mine.waitForResponse((answer) => /messages\?.*after=/.test(answer.url()));
    // Not by a key: Chromium animates such a scroll, to an offset that it computed before.
    await mine.evaluate(`(() => {
      const log = document.querySelector('[role=log][aria-label=Messages]');
      log.scrollTop = log.scrollHeight;
    })()`);
    await (await more).finished();
    await mine.evaluate(
      'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
    );
    await mine.getByRole('button', { name: 'Newest' }).waitFor();
    expect(await message(mine, 'line 129').count()).toBe(0);

    await write(mine, 'back from the past');
    // On its way it may be shown as pending and as read in one frame.
    const own = message(mine, 'back from the past');
    await until('own words are there once', async () => (await own.count()) === 1);
    await until('own words are in view', () => isInView(own));
    await mine.getByRole('textbox', { name: 'Message', exact: true }).press('ArrowUp');
    const editor = mine.getByRole('textbox', { name: 'Edit the message' });
    await editor.fill('back from the past, and');
    await log.press('Home');
    await editor.waitFor({ state: 'detached' });
    await atRest(mine);
    // The keys begin at what is seen, and Back leads to where one was.
    await mine.keyboard.press('j');
    const first = mine.locator('article:focus');
    await until('a message that is seen has the focus', () => isInView(first));
    await atRest(mine);
    const messageId = await first.getAttribute('data-message-id');
    const read = mine.locator(`article[data-message-id="${messageId ?? ''}"]`);
    const before = await read.boundingBox();
    await mine.getByRole('link', { name: /^Room/ }).click();
    await mine.getByRole('heading', { name: 'Room' }).waitFor();
    await mine.goBack();
    await until('the scroll offset is restored', async () => {
      const after = await read.boundingBox();
      return Math.abs((after?.y ?? 0) - (before?.y ?? 0)) < 2;
    });
    await mine.getByRole('button', { name: 'Newest' }).click();
    await editor.waitFor();
    expect(await editor.inputValue()).toBe('back from the past, and');
    await editor.press('Escape');
    await editor.waitFor({ state: 'detached' });
    await message(mine, 'back from the past').waitFor();

    // What can be done with what is higher than the screen is in view, and so is the end beside what is written.
    await web.owner.post('/v1/channels/long/messages', {
      text: Array.from({ length: 60 }, (_, line) => `tall ${line}`).join('\n'),
    });
    await message(mine, 'tall 59').hover();
    await until('its actions are in view', () =>
      isInView(message(mine, 'tall 59').getByRole('toolbar')),
    );
    const area = mine.getByRole('textbox', { name: 'Message', exact: true });
    await area.fill(Array.from({ length: 10 }, (_, line) => `line ${line}`).join('\n'));
    await until('the end is in view', async () => (await hiddenIn(log)).below < 2);
    await area.fill('');
  });

  it('on a narrow screen a thread covers the feed, and leads back to it', async () => {
    await mine.setViewportSize({ width: 390, height: 780 });
    await mine
      .getByRole('textbox', { name: 'Message', exact: true })
      .waitFor({ state: 'detached' });
    expect(await mine.getByRole('textbox', { name: 'Reply' }).isVisible()).toBe(true);
    await mine.getByRole('link', { name: 'Back to the channel' }).click();
    await mine.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    expect(new URL(mine.url()).pathname).toBe('/c/long');
  });

  it('DU-9 DU-2 DU-11 a person whom an agent names sees it in the sidebar, and a follow-up in the thread panel reaches that agent', async (test) => {
    await mine.setViewportSize({ width: 1200, height: 800 });
    const workspace = mkdtempSync(join(tmpdir(), 'stoa-talk-'));
    test.onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
    const policy = { maxAgentRepliesPerHumanMessage: 1, memberCooldownMs: 600_000 };
    const testChannel = await TestChannel.open(web.owner, {
      channelId: 'heralds',
      policy,
      workspace,
    });
    await web.owner.patch(testChannel.path, { title: 'Heralds' });
    await anna.post<Member>(`${testChannel.path}/members`, { displayName: 'Anna Lee' });
    const script = (line: string) => scripted(`otherwise: [{ say: ${JSON.stringify(line)} }]`);
    await testChannel.invite('build', script('I am Build.'), { displayName: 'Build' });
    await testChannel.invite('bot', script('@Anna Lee, it is out.'), { displayName: 'Build Bot' });
    await theirs.goto(`${web.daemon.url}/c/room`);
    const channel = theirs.getByRole('link', { name: /^Heralds/ });
    await channel.waitFor();
    // Her own message is not unread: what is, is the one that names her.
    const asked = await anna.post<Message>(`${testChannel.path}/messages`, {
      text: '@bot is it out?',
    });
    await theirs.getByRole('link', { name: /^Heralds ?1 unread$/ }).waitFor();
    await channel.click();
    const named = message(theirs, '@Anna Lee, it is out.');
    await named.waitFor();
    const rootPath = `/c/heralds/m/${asked.json.messageId}`;
    await mine.goto(web.daemon.url + rootPath);
    await write(mine, 'And since when?', 'Reply');
    const replies = mine.getByRole('log', { name: 'Replies' });
    await until(
      'the last speaker answers',
      async () => (await replies.getByText('it is out.').count()) === 2,
    );
    const [, , followUp] = await testChannel.messages();
    expect(followUp?.replyToMessageId).toBeUndefined();
    const decision = (await testChannel.decisions(asked.json.messageId)).find(
      ({ trigger }) => trigger.messageId === followUp?.messageId,
    );
    expect(decision?.candidates[0]).toMatchObject({
      memberId: 'bot',
      verdict: 'granted',
      reason: 'last_in_thread',
    });
    await mine.goto(`${web.daemon.url}/c/heralds`);
    await write(mine, 'What does @Build Bot suggest?');
    const answered = await until('it is answered', async () => {
      const messages = await testChannel.messages();
      return messages.length === 6 ? messages : undefined;
    });
    expect(answered[4]?.addressedMemberIds).toEqual(['bot']);
    expect(answered[5]?.author.displayName).toBe('Build Bot');
  });
});
