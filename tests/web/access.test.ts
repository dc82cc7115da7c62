import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, McpServerHealth, Message, Task } from '@stoa/protocol';
import {
  say as answer,
  axeViolations,
  FakeModel,
  McpScript,
  openSession,
  type Page,
  startDaemon,
  submit,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webTests } from '../web-tests.js';

const placeholder = (name: string): string => ['$', '{', name, '}'].join('');

const SCRIPT = {
  turns: [
    {
      when: { kind: 'input', matches: '^background (.*)$' },
      steps: [
        {
          call: { tool: 'shell', input: { command: placeholder('match.1'), is_background: true } },
        },
        { say: 'started' },
      ],
    },
    {
      when: { kind: 'input', contains: 'make a file' },
      steps: [
        {
          call: {
            tool: 'write_file',
            input: { path: 'notes.txt', content: `${'one\n'.repeat(9)}two\n` },
          },
        },
      ],
    },
  ],
  otherwise: [{ say: 'noted' }],
};

const ROOT = [
  '# What is ready',
  'A [link](https://example.org), `code`, ~~less~~ **more**.',
  '- [x] bread\n- [ ] jam',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  '```ts\n// a note\nconst width: number = 12; export function far(name: string) { return `${name}!`; }\n```',
  `A word that is too long: ${'wide'.repeat(60)}`,
].join('\n\n');

/** The page renders again some time after the event. */
async function inColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`);
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
}

describe('the web UI for everybody, in a browser', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-access-'));
  const mcp = new McpScript();
  let model: FakeModel;
  let sessionId = '';
  let opened: Promise<Page> | undefined;

  beforeAll(async () => {
    model = await FakeModel.start({ key: 'sk-access' });
  });
  afterAll(async () => {
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
    mcp.remove();
  });
  const web = webTests({
    start: () => {
      const config = `providers: { open: { kind: openai, baseUrl: ${model.openaiUrl}, apiKey: sk-access } }`;
      return startDaemon({ config, env: { STOA_LOBBY: 'auto' } });
    },
    prepare,
    keepsPages: true,
  });
  afterAll(async () => {
    // Background tasks outlive the daemon.
    if (sessionId !== '') await web.owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
  });

  /** Something of everything: a thread, a task that runs, something that waits, servers that are away. */
  async function prepare(): Promise<void> {
    const driver = { kind: 'script', script: JSON.stringify(SCRIPT) };
    const mcpServers = { one: mcp.config('broken'), other: mcp.config('broken') };
    await web.owner.put('/v1/agents/worker', { driver, mode: 'full', mcpServers });
    await web.owner.put('/v1/agents/asker', { driver, mode: 'ask' });
    sessionId = await prompt('worker', 'Builds', 'background echo built; exec sleep 600');
    model.script([answer('Counted.', { usage: { input: 100_000, output: 5_000 } })]);
    const counts = { kind: 'builtin', model: 'open/fake-model' };
    await web.owner.put('/v1/agents/counter', { driver: counts, mode: 'full' });
    await prompt('counter', 'Counts', 'count');
    await prompt('asker', 'Notes', 'make a file');
    await until('a task runs, something waits and servers are away', async () => {
      const { json } = await web.owner.get<{ tasks: Task[] }>('/v1/tasks');
      const waits = await web.owner.get<{ approvals: Approval[] }>('/v1/approvals?state=pending');
      const { servers } = (await web.owner.get<{ servers: McpServerHealth[] }>('/v1/mcp-servers'))
        .json;
      const isAway = servers.length === 2 && servers.every(({ state }) => state === 'offline');
      return json.tasks.length === 1 && waits.json.approvals.length === 1 && isAway;
    });
    const { messageId } = await say(ROOT);
    await say('Thank you.', messageId);
  }

  async function prompt(agentId: string, title: string, text: string): Promise<string> {
    const sessionId = await openSession(web.owner, { agentId, workspace, title });
    await submit(web.owner, sessionId, text);
    return sessionId;
  }

  async function say(text: string, threadRootMessageId?: string): Promise<Message> {
    const {
      status,
      json,
      text: answer,
    } = await web.owner.post<Message>('/v1/channels/lobby/messages', {
      inputItems: [{ type: 'text', text }],
      threadRootMessageId,
    });
    if (status !== 201) throw new Error(answer);
    return json;
  }

  /** The one wide page of this file, where it begins. */
  async function lobby(): Promise<Page> {
    opened ??= web.browser.logIn(web.daemon, { colorScheme: 'light', reducedMotion: 'reduce' });
    const page = await opened;
    await page.getByRole('heading', { name: 'What is ready' }).waitFor();
    return page;
  }

  /** Nothing for axe to object to, in the colours of the day and of the night. */
  async function expectNothingFound(page: Page, where: string, within?: string): Promise<void> {
    const part = within === undefined ? {} : { within };
    const light = await axeViolations(page, part);
    await inColours(page, 'dark');
    const dark = await axeViolations(page, { ...part, rules: ['color-contrast'] });
    await inColours(page, 'light');
    expect.soft({ where, light, dark }).toEqual({ where, light: [], dark: [] });
  }

  it('W-13 the parts of the page are landmarks, and every button and link has a name', async () => {
    const page = await lobby();
    await page
      .getByRole('link', { name: /^\d+ repl/ })
      .first()
      .click();
    await page.getByRole('log', { name: 'Replies' }).getByText('Thank you.').waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    for (const [role, name] of LANDMARKS) {
      expect.soft(await page.getByRole(role, { name, exact: true }).count(), name).toBe(1);
    }
    const controls = await page.locator('body').ariaSnapshot();
    expect.soft(controls).not.toMatch(/- (?:button|link|textbox)(?:$|:| \[)/m);
    await page.keyboard.press('Escape');
  });

  it('W-13 the focus is seen, and comes back from dialogs and from a thread', async () => {
    const page = await lobby();
    const search = page.getByRole('button', { name: 'Search' });
    for (const [name, dialog] of [
      ['Search', 'Command palette'],
      ['Background tasks: 1 shell', 'Background tasks'],
      ['1 waiting for you', 'Waiting for your answer'],
      ['New channel', 'New channel'],
      ['Go to a day', 'Go to a day'],
    ] as const) {
      const opener = page.getByRole('button', { name });
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect.soft(await focusOn(page), dialog).toContain(name);
    }

    // One writes at once, and a click that misses does not cost what was written.
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.keyboard.type('Garden');
    await page.mouse.click(3, 3);
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Garden');
    await page.keyboard.press('Escape');

    // From the last message to its thread, and back to where one was.
    await search.focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe(
      'solid',
    );
    const replies = page.getByRole('link', { name: /^\d+ repl/ }).first();
    await replies.focus();
    await page.keyboard.press('Enter');
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.focus();
    await page.keyboard.press('Escape');
    await reply.waitFor({ state: 'detached' });
    await until('the focus is back', async () => /^\d+ repl/.test(await focusOn(page)));
  });

  it('W-13 the colours that were chosen are there from the first picture on', async () => {
    const page = await lobby();
    await page.evaluate(`localStorage.setItem('stoa:theme', 'dark')`);
    await page.addInitScript(`
      window.seen = [];
      requestAnimationFrame(function look() {
        seen.push(document.documentElement.dataset.theme);
        if (!document.querySelector('h1')) requestAnimationFrame(look);
      });
    `);
    // The page is there before its script.
    await page.route('**/assets/index-*.js', async (route) => {
      const answer = await route.fetch();
      await page.evaluate('new Promise((later) => setTimeout(later, 200))');
      await route.fulfill({ response: answer });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Lobby' }).waitFor();
    expect(new Set(await page.evaluate<unknown[]>('seen'))).toEqual(new Set(['dark']));
    await page.unroute('**/assets/index-*.js');
    await page.evaluate(`localStorage.removeItem('stoa:theme')`);
    await page.reload();
  });

  it('W-13 axe finds nothing serious on any screen or in any dialog, in light and in dark', async () => {
    const page = await lobby();
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
    await heading('What is ready');
    await page.getByRole('button', { name: '1 waiting for you' }).waitFor();
    await expectNothingFound(page, 'the lobby');

    await page
      .getByRole('link', { name: /^\d+ repl/ })
      .first()
      .click();
    await heading('Thread');
    await page.getByRole('log', { name: 'Replies' }).getByText('Thank you.').waitFor();
    await expectNothingFound(page, 'a thread', 'aside');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').waitFor();
    await expectNothingFound(page, 'the palette', 'dialog');
    await page.keyboard.press('Escape');

    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Show the keyboard shortcuts').waitFor();
    await expectNothingFound(page, 'the keys', 'dialog');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Background tasks' }).click();
    await page.getByRole('log').getByText('built').waitFor();
    await expectNothingFound(page, 'the tasks', 'dialog');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: '1 waiting for you' }).click();
    await page.getByRole('button', { name: /^Deny/ }).waitFor();
    await expectNothingFound(page, 'the approvals', 'dialog');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: /Builds/ }).click();
    await page.getByRole('log', { name: 'Journal' }).getByText('started').waitFor();
    await expectNothingFound(page, 'a session');

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('main').getByText('asker').waitFor();
    await expectNothingFound(page, 'the agents', 'main');
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByText('this browser').waitFor();
    await expectNothingFound(page, 'the tokens', 'main');

    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('table').first().waitFor();
    await expectNothingFound(page, 'the usage', 'main');

    await page.getByRole('link', { name: /^Lobby/ }).click();
    await page.getByRole('link', { name: 'Channel settings' }).click();
    await page.getByLabel('Speakers at once').waitFor();
    await expectNothingFound(page, 'the settings of a channel', 'main');
    await page.goBack();
    await page.getByRole('link', { name: 'Timeline' }).click();
    await heading('Lobby: timeline');
    await page.getByRole('article', { name: 'Turn' }).first().waitFor();
    await expectNothingFound(page, 'the timeline', 'main');

    await page.goto(`${web.daemon.url}/settings/tokens`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(`${web.daemon.url}/`);
    await heading('This browser is not logged in');
    await expectNothingFound(page, 'logged out');
    // What the page asked for a moment before is refused to who is nobody by now.
    const complaints = web.browser.takeErrors();
    expect(complaints.filter((text) => !text.includes('401 (Unauthorized)'))).toEqual([]);
    await page.context().close();
  });

  for (const [how, options] of [
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ['at 200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ] as const) {
    it(`W-13 ${how} one goes from the list to a channel, a thread and back, and nothing is wider than the screen`, async () => {
      const page = await web.browser.logIn(web.daemon, options);
      const shows = async (where: string): Promise<void> => {
        // A phone makes the page as wide as what does not fit, so that `innerWidth` would always do.
        const { width } = options.viewport;
        const widths = '[document.documentElement.scrollWidth, innerWidth]';
        for (const shown of await page.evaluate<number[]>(widths)) {
          expect.soft(shown, where).toBeLessThanOrEqual(width);
        }
        expect.soft(await cutOff(page, width), where).toEqual([]);
      };
      // Its name says too how much is unread.
      const lobby = page.getByRole('link', { name: /^Lobby/ });
      await lobby.waitFor();
      const away = page.getByRole('button', { name: '2 MCPs offline' });
      await away.waitFor();
      await shows('the list');
      await lobby.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'What is ready' }).waitFor();
      await shows('the channel');
      if (options.viewport.width === 390) {
        // A keyboard on the screen has no other key for a new line.
        const box = page.getByRole('textbox', { name: 'Message' });
        await box.fill('one');
        await box.press('Enter');
        expect(await box.inputValue()).toBe('one\n');
        await box.fill('');
        // What a pointer shows by resting on a message, a finger shows by a tap.
        const ready = page.getByRole('article').filter({ hasText: 'What is ready' });
        await ready.getByRole('heading').tap();
        await ready.getByRole('button', { name: 'Reply in thread' }).waitFor();
        await shows('the buttons of a message');
      }
      await page
        .getByRole('link', { name: /^\d+ repl/ })
        .first()
        .focus();
      await page.keyboard.press('Enter');
      const replies = page.getByRole('log', { name: 'Replies' });
      await replies.getByText('Thank you.').waitFor();
      await shows('the thread');
      await page.keyboard.press('Escape');
      await until('the focus is back', async () => /^\d+ repl/.test(await focusOn(page)));
      const back = page.getByRole('link', { name: 'Back to the channels' });
      await (options.viewport.width === 390 ? back.tap() : back.press('Enter'));
      await until('the focus is on the channel', async () => /^Lobby/.test(await focusOn(page)));

      await page.getByRole('button', { name: '1 waiting for you' }).click();
      await page.getByRole('button', { name: /^Deny/ }).waitFor();
      await shows('the approvals');
      // There is channel to read the change.
      await page.getByText('+two').scrollIntoViewIfNeeded();
      expect.soft(await heightInView(page, 'Diff'), 'the diff').toBeGreaterThan(140);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Background tasks' }).click();
      await page.getByRole('log').getByText('built').waitFor();
      await shows('the tasks');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: /Builds/ }).click();
      await page.getByRole('log', { name: 'Journal' }).getByText('started').waitFor();
      await shows('a session');
      await page.getByRole('link', { name: 'Back to the channels' }).click();
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByRole('main').getByText('asker').waitFor();
      await shows('the settings');
      await page.goto(`${web.daemon.url}/settings/tokens`);
      const tab = page.getByRole('link', { name: 'Access tokens' });
      await until('the tab is in view', async () => {
        const box = await tab.boundingBox();
        return box && box.x >= 0 && box.x + box.width <= options.viewport.width;
      });
      await page.context().close();
    });
  }
});

const LANDMARKS = [
  ['navigation', 'Channels and sessions'],
  ['complementary', 'Thread'],
  ['contentinfo', 'Status'],
] as const;

/** What the focus is on, by its name or its text. */
async function focusOn(page: Page): Promise<string> {
  return page.evaluate<string>(
    `(({ activeElement: at }) => at.getAttribute('aria-label') ?? (at === document.body ? 'nothing' : at.textContent))(document)`,
  );
}

/** What can be pressed but lies beyond an edge of the screen, where nothing scrolls sideways. */
async function cutOff(page: Page, width: number): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`[...document.querySelectorAll('button, a, input, textarea, footer span')]
    .filter((each) => each.checkVisibility() && !each.closest('.overflow-x-auto'))
    .filter((each) => { const { left, right } = each.getBoundingClientRect(); return left < -1 || right > ${width} + 1; })
    .map((each) => each.outerHTML.slice(0, 200))`);
}

/** How much of a part of the page is not hidden by what scrolls around it. */
async function heightInView(page: Page, name: string): Promise<number> {
  return page.evaluate<number>(`new Promise((seen) => {
    const look = ([{ intersectionRect }]) => seen(intersectionRect.height);
    new IntersectionObserver(look).observe(document.querySelector('[aria-label=${name}]'));
  })`);
}
