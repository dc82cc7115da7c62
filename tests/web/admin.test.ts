import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel, Message, Session } from '@stoa/protocol';
import {
  askSession,
  callerOf,
  FakeModel,
  type ModelScript,
  openSession,
  type Page,
  say,
  startDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestChannel } from '../test-channel.js';
import { webTests } from '../web-tests.js';

const KEY = 'sk-of-the-environment';
/** One model has a price, the other has none. */
const CONFIG = `
modelRetries: { attempts: 1 }
providers:
  openai:
    kind: openai
    models:
      priced: { price: { input: 2, output: 10 } }
      unpriced: {}
currency: EUR
`;

/** A browser tells of every request that is refused; here mistakes are made on purpose. */
const REFUSED = /the server responded with a status of (?:400|409) /;

describe('settings, timeline and usage, in a browser', () => {
  let model: FakeModel;
  let opened: Promise<Page> | undefined;
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-admin-')));

  beforeAll(async () => {
    model = await FakeModel.start({ key: KEY });
  });
  afterAll(async () => {
    await model.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  const web = webTests({
    start: () => {
      const env = {
        STOA_LOBBY: 'auto',
        OPENAI_BASE_URL: model.openaiUrl,
        OPENAI_API_KEY: KEY,
        OPENAI_MODEL: 'priced',
      };
      return startDaemon({ config: CONFIG, env });
    },
    expectedErrors: REFUSED,
    keepsPages: true,
  });

  /** The one page of this file, at this path: it navigates like a link, without a reload. */
  async function at(path: string): Promise<Page> {
    opened ??= web.browser.logIn(web.daemon);
    const page = await opened;
    await page.goto(web.daemon.url + path);
    return page;
  }

  const channel = async (channelId: string): Promise<Channel> =>
    (await web.owner.get<Channel>(`/v1/channels/${channelId}`)).json;

  /** A field that was refused says so, and is tied to what it says. */
  async function expectProblem(page: Page, label: string, text: string): Promise<void> {
    const field = page.getByLabel(label, { exact: true });
    await until(
      `${label} is refused`,
      async () => (await field.getAttribute('aria-invalid')) === 'true',
    );
    const about = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${about ?? ''}"]`).textContent()).toBe(text);
  }

  it('W-9 the title and the policy of a channel are changed, and a mistake is explained beside its field', async () => {
    await web.owner.post('/v1/channels', { channelId: 'kitchen', title: 'Kitchen' });
    const page = await at('/c/kitchen');
    await page.getByRole('link', { name: 'Channel settings' }).click();
    await page.getByRole('heading', { name: 'Kitchen: settings' }).waitFor();

    await page.getByLabel('Title', { exact: true }).fill('  ');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expectProblem(page, 'Title', 'This must not be empty.');
    await page.getByLabel('Title', { exact: true }).fill('The kitchen');
    await page.getByLabel('Purpose', { exact: true }).fill('Bread');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'The kitchen: settings' }).waitFor();

    const speakers = page.getByLabel('Speakers at once');
    const pause = page.getByLabel('Pause between turns');
    expect(await pause.getAttribute('placeholder')).toBe('15s (default)');
    await pause.fill('a while');
    await speakers.fill('99');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await expectProblem(page, 'Pause between turns', 'Write it as 15s, 5m or 1h 30m.');
    await expectProblem(page, 'Speakers at once', 'At most 20.');
    await page.getByText('2 fields need a correction.').waitFor();
    // The first of them in the form.
    const focused = await page.evaluate('document.activeElement?.id');
    expect(focused).toBe(await speakers.getAttribute('id'));
    // What is not saved is not left without a word, neither by a link nor by Back.
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await question.getByRole('button', { name: 'Stay' }).click();
    await page.goBack();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${web.daemon.url}/c/kitchen/settings`);
    await pause.fill('30s');
    expect((await channel('kitchen')).autonomyPolicy.memberCooldownMs).toBe(15_000);
    await speakers.fill('2');
    await page.getByLabel('Turn length').fill('2d');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await expectProblem(page, 'Turn length', 'At most 1d.');
    await page.getByLabel('Turn length').fill('');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await until('the policy is stored', async () => {
      const { autonomyPolicy } = await channel('kitchen');
      return autonomyPolicy.memberCooldownMs === 30_000;
    });
    expect(await channel('kitchen')).toMatchObject({
      title: 'The kitchen',
      purpose: 'Bread',
      autonomyPolicy: { maxParallelPublicSpeakers: 2, leaseTimeoutMs: 60_000 },
    });
  });

  it('SE-19 adding a session above mode ask warns, and the list of members shows its mode', async () => {
    await web.owner.post('/v1/channels', { channelId: 'gate', title: 'Gate' });
    const body = { agentId: 'host', mode: 'full', title: 'unlimited' };
    const made = await web.owner.post<{ sessionId: string }>('/v1/sessions', body);
    expect(made.status, made.text).toBe(201);
    const page = await at('/c/gate/settings');
    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add member' });
    const choice = `session:${made.json.sessionId}`;
    await dialog.getByLabel('Who', { exact: true }).selectOption(choice);
    await dialog.getByLabel('Name here').fill('Warden');
    await dialog.getByRole('button', { name: 'Add' }).click();
    const warning = page.getByRole('status').getByText('Warden is in mode full');
    await warning.waitFor();
    expect(await warning.textContent()).toContain('Their requests run in mode ask');
    const row = page.getByRole('list', { name: 'Members' }).getByRole('listitem');
    await row.filter({ hasText: 'Warden' }).getByText('mode full').waitFor();
  });

  it('W-9 members are added, changed and removed; a channel is paused, archived and deleted', async () => {
    await web.owner.post('/v1/channels', { channelId: 'cellar', title: 'Cellar' });
    const page = await at('/c/cellar/settings');
    const members = page.getByRole('list', { name: 'Members' });

    await page.getByRole('button', { name: 'Add member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add member' });
    await dialog.getByLabel('Who', { exact: true }).selectOption('person');
    await dialog.getByLabel('Id of the person').fill('nobody');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expectProblem(page, 'Id of the person', 'There is nobody called human:nobody here');
    await dialog.getByLabel('Who', { exact: true }).selectOption('agent:host');
    await dialog.getByLabel('Name here').fill('Vintner');
    await dialog.getByLabel('Expertise').fill('wine, cheese');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await members.getByText('Vintner').waitFor();
    await members.getByText('wine, cheese').waitFor();
    await page.getByLabel('When Vintner speaks').selectOption('always_listen');
    const stored = (): Promise<{ displayName: string; participationMode?: string }[]> =>
      web.owner
        .get<{ members: { displayName: string; participationMode?: string }[] }>(
          '/v1/channels/cellar/members',
        )
        .then(({ json }) => json.members);
    await until('the mode is stored', async () =>
      (await stored()).some(({ participationMode }) => participationMode === 'always_listen'),
    );
    await page.getByLabel('When Vintner speaks').selectOption('Channel default');
    await until('it has no mode of its own', async () =>
      (await stored()).every(({ participationMode }) => participationMode === undefined),
    );
    const choice = page.getByLabel('When Vintner speaks');
    await until('it is shown', async () => (await choice.inputValue()) === '');
    await page.getByRole('button', { name: 'Remove Vintner…' }).click();
    await page.getByRole('button', { name: 'Remove Vintner', exact: true }).click();
    await members.getByText('Vintner', { exact: true }).waitFor({ state: 'detached' });
    expect((await stored()).map(({ displayName }) => displayName)).not.toContain('Vintner');

    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Agents are paused', { exact: true }).waitFor();
    expect((await channel('cellar')).paused).toBe(true);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('Agents may speak', { exact: true }).waitFor();
    expect((await channel('cellar')).paused).toBe(false);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('The channel is archived').waitFor();
    expect((await channel('cellar')).archivedAt).toBeGreaterThan(0);

    await page.getByRole('button', { name: 'Delete…' }).click();
    const forGood = page.getByRole('button', { name: 'Delete permanently' });
    await page.getByLabel('Type cellar to delete it').fill('cella');
    expect(await forGood.isDisabled()).toBe(true);
    await page.getByLabel('Type cellar to delete it').fill('cellar');
    await forGood.click();
    await until(
      'it is gone',
      async () => (await web.owner.get('/v1/channels/cellar')).status === 404,
    );
  });

  it('agents are made, refused beside the field, tried and deleted', async () => {
    const page = await at('/settings');
    await page.getByRole('button', { name: 'New agent' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id', { exact: true }).fill('host');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectProblem(page, 'Id', 'There is already an agent host');
    await dialog.getByText('One field needs a correction.').waitFor();
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog.getByLabel('Id', { exact: true }).fill('parrot');
    await dialog.getByLabel('Driver').selectOption('script');
    await dialog.getByLabel('Script', { exact: true }).fill('otherwise: [{ sya: "x" }]');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await until(
      'the script is refused',
      async () =>
        (await dialog.getByLabel('Script', { exact: true }).getAttribute('aria-invalid')) ===
        'true',
    );
    await dialog
      .getByLabel('Script', { exact: true })
      .fill('otherwise: [{ say: "You wrote ${input}" }]');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Try parrot' }).click();
    await page.getByLabel('Prompt').fill('polly');
    await page.getByLabel('Prompt').press('Enter');
    await page.getByRole('region', { name: 'Answer' }).getByText('You wrote polly').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'More about parrot' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete parrot' }).click();
    await until(
      'it is gone',
      async () => (await web.owner.get('/v1/agents/parrot')).status === 404,
    );
  });

  it('schedules are made, refused beside the field, paused and ended', async () => {
    const page = await at('/settings/schedules');
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByLabel('Session', { exact: true }).selectOption('agent:guide');
    await page.getByRole('button', { name: 'Create' }).click();
    await expectProblem(page, 'Title', 'This must not be empty.');
    await expectProblem(page, 'What to do', 'This must not be empty.');
    await page.getByLabel('Title', { exact: true }).fill('Morning');
    await page.getByLabel('What to do').fill('Look around');
    await page.getByLabel('When', { exact: true }).selectOption('cron');
    await page.getByLabel('Cron expression').fill('at nine');
    await page.getByLabel('Time zone').fill('UTC');
    await page.getByRole('button', { name: 'Create' }).click();
    await until(
      'the expression is refused',
      async () =>
        (await page.getByLabel('Cron expression').getAttribute('aria-invalid')) === 'true',
    );
    const ofGuide = await web.owner.get<{ sessions: Session[] }>('/v1/sessions?agentId=guide');
    expect(ofGuide.json.sessions).toEqual([]);
    await page.getByLabel('Cron expression').fill('0 9 * * *');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('list', { name: 'Schedules' }).getByRole('listitem');
    await row.getByText('0 9 * * * (UTC)').waitFor();
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();
    await row.getByRole('button', { name: 'More about Morning' }).click();
    await page.getByRole('menuitem', { name: 'End…' }).click();
    await row.getByRole('button', { name: 'End Morning' }).click();
    await row.getByText('ended').waitFor();
  });

  it('a token is shown once when it is made, and is worth nothing when it is revoked', async () => {
    const page = await at('/settings/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Person', { exact: true }).fill('Ada!');
    await page.getByRole('button', { name: 'Create token' }).click();
    await expectProblem(page, 'Person', 'Lowercase letters, digits, dots and dashes, such as ada.');
    await expectProblem(page, 'Name of the token', 'This must not be empty.');
    await expectProblem(page, 'Login link', 'This must not be empty.');
    await page.getByLabel('Name of the token').fill('laptop');
    await page.getByLabel('Person', { exact: true }).fill('ada');
    // SE-12: an open page alone cannot create tokens.
    const freshLink = async (): Promise<string> =>
      (await web.owner.post<{ url: string }>('/v1/login-codes')).json.url;
    const spent = await freshLink();
    await page.getByLabel('Login link').fill(`${spent}x`);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('The login code is used, expired or not one of yours').waitFor();
    expect(web.browser.takeErrors()).toEqual([expect.stringContaining('403 (Forbidden)')]);
    await page.getByLabel('Login link').fill(spent);
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = (await page.getByLabel('The token', { exact: true }).textContent()) ?? '';
    const ada = callerOf(web.daemon.url, secret);
    expect((await ada.get('/v1/whoami')).json).toMatchObject({ actorId: 'human:ada' });
    // It is shown once: no key that was meant for something else closes it.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    const shown = page.getByRole('dialog', { name: 'Token of ada' });
    await shown.getByText('Give it to ada, who sets it as STOA_TOKEN').waitFor();
    expect(await shown.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Revoke laptop…' }).click();
    const asked = page.getByRole('dialog', { name: 'Revoke laptop of ada?' });
    await asked.getByLabel('Login link').fill(await freshLink());
    await asked.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByText('ada · since').waitFor({ state: 'detached' });
    expect((await ada.get('/v1/whoami')).status).toBe(401);
  });

  it('W-10 turns, leases, stimuli and the work of threads stand in a timeline that goes on by itself', async () => {
    const page = await at('/c/lobby/timeline');
    await page.getByRole('heading', { name: 'Lobby: timeline' }).waitFor();
    const root = await web.owner.post<Message>('/v1/channels/lobby/messages', {
      text: 'build a birdhouse',
    });
    const turn = page
      .getByRole('article', { name: 'Turn' })
      .filter({ hasText: 'build a birdhouse' });
    const leases = turn.getByRole('list', { name: 'Leases' });
    await leases.getByText('Builder').waitFor();
    await leases.getByText('answered').first().waitFor();
    await turn.getByText('open', { exact: true }).waitFor({ state: 'detached' });
    await turn.getByText(/decisions with reasons/).click();
    await turn.getByText(/: a message opened a turn\./).waitFor();
    await turn.getByText(/the turn is closed: /).waitFor();

    const { messageId } = root.json;
    await web.owner.post('/v1/channels/lobby/stimuli', {
      kind: 'task_completed',
      scope: 'thread',
      threadRootMessageId: messageId,
      content: 'The wood has come',
    });
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const stimulus = timeline.getByRole('listitem').filter({ hasText: 'A task was completed' });
    await stimulus.getByText(/ posted, /).waitFor();
    await web.owner.patch(`/v1/channels/lobby/thread-work/${messageId}`, { status: 'completed' });
    await timeline.getByText(/The work is completed/).waitFor();
    await page.getByRole('button', { name: 'Work', exact: true }).click();
    await turn.waitFor({ state: 'detached' });
  });

  it('W-10 a long timeline comes in pages', async () => {
    await web.owner.post('/v1/channels', { channelId: 'attic', title: 'Attic' });
    await web.owner.patch('/v1/channels/attic', { paused: true });
    for (let i = 0; i < 75; i++)
      await web.owner.patch('/v1/channels/attic', { paused: i % 2 === 1 });
    for (let i = 0; i < 150; i++)
      await web.owner.post('/v1/channels/attic/messages', { text: `${i}` });
    const page = await at('/c/attic/timeline');
    const entries = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Older' }).click();
    await until('all of it is there', async () => (await entries.count()) === 76);
    await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' });
  });

  it('an address with nothing under it says so in plain words, and leads back', async () => {
    const page = await at('/anything/else');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    for (const [path, title] of [
      ['/s/ses_nope', 'There is no such session'],
      ['/c/lobby/m/nope', 'There is no such message'],
      ['/c/doesnotexist', 'There is no such channel'],
    ] as const) {
      await at(path);
      await page.getByRole('heading', { name: title }).waitFor();
    }
    // Of a channel that is not there there is neither a timeline nor settings.
    await page.getByRole('link', { name: 'Timeline' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'Channel settings' }).count()).toBe(0);
    await at('/s/ses_nope');
    await page.getByRole('heading', { name: 'There is no such session' }).waitFor();
    await page.getByRole('link', { name: 'Back to the channels' }).last().click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    for (const complaint of web.browser.takeErrors()) {
      expect(complaint).toMatch(/responded with a status of (?:400|404) /);
    }
  });

  it('a part that cannot be loaded says so, and the rest of the page goes on', async () => {
    const before = await at('/c/lobby');
    await before.route('**/assets/usage-screen-*.js', (route) => route.abort());
    const page = await at('/c/lobby');
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { name: 'This could not be shown' }).waitFor();
    // Its name says too how much is unread.
    await page.getByRole('link', { name: /^Lobby/ }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.unroute('**/assets/usage-screen-*.js');
    await page.goBack();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    for (const complaint of web.browser.takeErrors()) {
      expect(complaint).toContain('/assets/usage-screen-');
    }
  });

  it('W-11 tokens and cost by day, channel and agent are drawn and written, and an unknown cost is no nothing', async () => {
    const work = async (agentId: string, text: string): Promise<void> => {
      await askSession(web.owner, await openSession(web.owner, { agentId }), text);
    };
    model.script([
      say('First.', { usage: { input: 100_000, output: 5_000 } }),
      say('Second.', { usage: { input: 3_000, output: 21 } }),
    ]);
    await web.owner.put('/v1/agents/cheap', {
      displayName: 'Cheap',
      driver: { kind: 'builtin', model: 'unpriced' },
    });
    await work('stoa', 'go');
    const page = await at('/usage');
    const table = page.getByRole('table');
    const rowOf = (name: string): Promise<string[]> =>
      table.getByRole('row').filter({ hasText: name }).getByRole('cell').allTextContents();
    // A hundred thousand in for 2, five thousand out for 10, a million each.
    const first = ['1', '100,000', '0', '5,000', '0.25 EUR'];
    await table.waitFor();
    expect(await rowOf('Total')).toEqual(first);
    const chart = page.getByRole('img', { name: 'Tokens by day' });
    expect(await chart.locator('.fill-accent').count()).toBe(1);

    await work('cheap', 'go');
    await page.getByRole('button', { name: 'Agent' }).click();
    await table.getByRole('rowheader', { name: 'Cheap' }).waitFor();
    expect(await rowOf('Cheap')).toEqual(['1', '3,000', '0', '21', 'unknown']);
    expect(await rowOf('Stoa')).toEqual(first);
    expect(await rowOf('Total')).toEqual(['2', '103,000', '0', '5,021', 'unknown']);
    await page.getByRole('button', { name: 'Cost' }).click();
    const bars = page.getByRole('list', { name: 'Cost by agent' }).getByRole('listitem');
    expect(await bars.allTextContents()).toEqual(['Cheapunknown', 'Stoa0.25 EUR']);
    expect(await bars.nth(0).locator('.stroke-faint').count()).toBe(1);
    expect(await bars.nth(1).locator('.fill-accent').count()).toBe(1);
    await page.getByRole('button', { name: 'Channel', exact: true }).click();
    await table.getByRole('rowheader', { name: 'Outside channels' }).waitFor();
    model.assertPlayed();
  });

  it('DU-19 AC-20 the timeline and the thread say how each turn ended, and a changed definition is refreshed by one button', async () => {
    const page = await at('/c/lobby');
    const testChannel = await TestChannel.open(web.owner, {
      channelId: 'words',
      workspace,
      policy: { memberCooldownMs: 0 },
    });
    const first = await testChannel.post('No agent is here yet.');
    await testChannel.invite('modelled', { kind: 'builtin' });
    await testChannel.invite('missing', { kind: 'acp', command: ['/nonexistent/agent'] });
    const cases: { script: ModelScript; agent?: string; words: string; isSeen?: boolean }[] = [
      { script: [say('An hour.')], words: 'answered', isSeen: true },
      {
        script: [
          useTools([toolCall('set_channel_reaction', { messageId: first.messageId, emoji: '👍' })]),
          useTools([toolCall('pass_turn', {})]),
        ],
        words: 'reacted',
        isSeen: true,
      },
      { script: [useTools([toolCall('pass_turn', {})])], words: 'passed: had nothing to say' },
      { script: [say(' \n ')], words: 'passed: had nothing to say' },
      {
        script: [useTools([toolCall('pass_turn', {})], { text: 'x'.repeat(412) })],
        words: 'wrote 412 characters and passed',
      },
      {
        script: [{ kind: 'refusal', reason: 'server_error', message: 'The disks are full.' }],
        words: 'failed: openai/priced cannot answer now (500): The disks are full.',
      },
      {
        script: [],
        agent: 'missing',
        words: 'failed: program not found. There is no program /nonexistent/agent to start.',
      },
    ];
    for (const [index, { script, agent = 'modelled', words, isSeen = false }] of cases.entries()) {
      const question = `question ${String(index)}`;
      model.script(script);
      const { messageId } = await testChannel.post(`@${agent} ${question}`);
      await testChannel.closed(messageId);
      await page.goto(`${web.daemon.url}/c/words/m/${messageId}`);
      const ended = page.getByRole('list', { name: 'How the turn ended' });
      if (!isSeen) await ended.getByText(`${agent} ${words}`).waitFor();
      else {
        await page.getByRole('log', { name: 'Replies' }).getByText(question).waitFor();
        expect(await ended.count()).toBe(0);
      }
    }
    await page.goto(`${web.daemon.url}/c/words/timeline`);
    for (const [index, { words }] of cases.entries()) {
      const turn = page
        .getByRole('article', { name: 'Turn' })
        .filter({ hasText: `question ${String(index)}` });
      const leases = turn.getByRole('list', { name: 'Leases' });
      await leases.getByText(words).waitFor();
      const hasNothingToSay = (await leases.textContent())?.includes('had nothing to say');
      expect(hasNothingToSay, words).toBe(words.includes('had nothing to say'));
    }
    await page.goto(`${web.daemon.url}/c/words`);
    const put = await web.owner.put('/v1/agents/missing', { driver: { kind: 'builtin' } });
    expect(put.status, put.text).toBe(200);
    const notice = page
      .getByRole('log', { name: 'Messages' })
      .getByRole('article')
      .filter({ hasText: 'Definition changed: refresh missing.' });
    // Until then the old definition fails, and no id is shown.
    const old = await testChannel.post('@missing still there?');
    await testChannel.closed(old.messageId);
    await page.goto(`${web.daemon.url}/c/words/m/${old.messageId}`);
    const ended = page.getByRole('list', { name: 'How the turn ended' });
    await ended.getByText('Definition changed: refresh the session of missing').waitFor();
    expect(await ended.textContent()).not.toMatch(/ses_|run_|msg_/);
    await page.goto(`${web.daemon.url}/c/words`);
    await notice.getByRole('button', { name: 'Refresh missing' }).click();
    await notice.getByText('refreshed').waitFor();
    model.script([say('Here I am.')]);
    await testChannel.post('@missing are you there?');
    await page.getByRole('log', { name: 'Messages' }).getByText('Here I am.').waitFor();
  });
});
