import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Approval, Task } from '@stoa/protocol';
import {
  endedRun,
  McpScript,
  openSession,
  type Page,
  submit as submitTo,
  until,
} from '@stoa/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { webTests } from '../web-tests.js';

interface Scrolled {
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly scrollTop: number;
}

const placeholder = (name: string): string => ['$', '{', name, '}'].join('');

/** Does what its message says, and takes note of everything else. */
const SCRIPT = {
  turns: [
    {
      when: { kind: 'input', matches: '^background (.*)$' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'shell',
            input: { command: placeholder('match.1'), is_background: true },
          },
        },
        { say: 'started' },
      ],
    },
    {
      when: { kind: 'input', matches: '^watch (.*)$' },
      repeat: 'forever',
      steps: [
        { call: { tool: 'monitor', input: { command: placeholder('match.1') } } },
        { say: 'watching' },
      ],
    },
    {
      when: { kind: 'input', matches: '^run (.*)$' },
      repeat: 'forever',
      steps: [
        { call: { tool: 'shell', input: { command: placeholder('match.1') }, as: 'out' } },
        { say: `it gave ${placeholder('results.out')}` },
      ],
    },
    {
      when: { kind: 'input', contains: 'correct the notes' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'edit_file',
            input: { path: 'notes.txt', old_string: 'two', new_string: 'three' },
          },
        },
        { say: 'done with the notes' },
      ],
    },
    {
      when: { kind: 'input', contains: 'ask me' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'ask_user',
            input: {
              question: 'Which colour?',
              options: [{ label: 'red' }, { label: 'blue', description: 'like the sea' }],
            },
            as: 'out',
          },
        },
        { say: `so it is ${placeholder('results.out')}` },
      ],
    },
    {
      when: { kind: 'input', contains: 'get help' },
      repeat: 'forever',
      steps: [
        {
          call: {
            tool: 'agent',
            input: {
              description: 'write it all down',
              prompt: 'write a saga',
              agent: 'worker',
              run_in_background: true,
            },
          },
        },
        { say: 'somebody helps' },
      ],
    },
    {
      when: { contains: 'write a saga' },
      repeat: 'forever',
      steps: [{ say: { text: 'and then '.repeat(2_000), everyMs: 50 } }],
    },
    {
      when: { kind: 'input', contains: 'use the server' },
      repeat: 'forever',
      steps: [{ call: { tool: 'mcp__broken__add', input: {} } }, { say: 'tried' }],
    },
    {
      when: { kind: 'input', contains: 'tell a story' },
      repeat: 'forever',
      steps: [
        { say: { text: `once upon a time ${'and then '.repeat(2_000)}`, everyMs: 50 } },
        { say: 'the end' },
      ],
    },
  ],
  otherwise: [{ say: 'noted' }],
};

describe('work, in a browser', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'stoa-work-'));
  const mcp = new McpScript();
  const sessionIds: string[] = [];

  const web = webTests({
    prepare: async () => {
      const driver = { kind: 'script', script: JSON.stringify(SCRIPT) };
      await web.owner.put('/v1/agents/worker', { driver, mode: 'full' });
      await web.owner.put('/v1/agents/asker', { driver, mode: 'ask' });
    },
  });
  afterAll(async () => {
    // Background tasks outlive the daemon.
    for (const sessionId of sessionIds)
      await web.owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
    rmSync(workspace, { recursive: true, force: true });
    mcp.remove();
  });

  async function open(agentId: string, title: string): Promise<string> {
    const body = { agentId, workspace, title };
    const sessionId = await openSession(web.owner, body);
    sessionIds.push(sessionId);
    return sessionId;
  }

  const submit = (sessionId: string, text: string) => submitTo(web.owner, sessionId, text);
  const ended = (runId: string) => endedRun(web.owner, runId);

  const tasks = async (): Promise<Task[]> =>
    (await web.owner.get<{ tasks: Task[] }>('/v1/tasks')).json.tasks;

  const waiting = (count: number): Promise<Approval[]> =>
    until(`${count} wait for an answer`, async () => {
      const { json } = await web.owner.get<{ approvals: Approval[] }>(
        '/v1/approvals?state=pending',
      );
      return json.approvals.length === count ? json.approvals.toReversed() : undefined;
    });

  const approval = async (approvalId: string): Promise<Approval> =>
    (await web.owner.get<Approval>(`/v1/approvals/${approvalId}`)).json;

  it('W-7 the pill counts what runs, the dialog shows it by kind, output follows, and the chosen task is stopped though the list moved', async () => {
    const sessionId = await open('worker', 'Builds');
    const page = await web.browser.logIn(web.daemon);
    const loop =
      'i=0; until [ -e quiet ]; do i=$((i+1)); printf "\\033[32mtick\\033[0m %s\\n" $i; sleep 0.05; done';
    await ended((await submit(sessionId, `background ${loop}`)).runId);
    await ended((await submit(sessionId, 'watch echo seen; exec sleep 600')).runId);
    const pill = page.getByRole('button', { name: 'Background tasks' });
    await ended((await submit(sessionId, 'get help')).runId);
    await page.getByRole('button', { name: /: 1 shell, 1 agent, 1 monitor$/ }).waitFor();
    await pill.click();

    const list = page.getByRole('listbox', { name: 'Tasks' });
    const shells = list.getByRole('group', { name: 'shells' }).getByRole('option');
    const monitors = list.getByRole('group', { name: 'monitors' }).getByRole('option');
    await monitors.getByText('running (1 event)').waitFor();
    expect(await shells.count()).toBe(1);

    // Down to the agent and the monitor and back to the command, by keys alone.
    await page.keyboard.press('j');
    await page.getByRole('region', { name: 'write it all down' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'is paused' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('definition').filter({ hasText: 'not accepted' }).waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.getByRole('definition').filter({ hasText: 'until [ -e quiet ]' }).waitFor();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('tick 1\n').waitFor();
    const early = await lastTick(output);
    await until('it follows', async () => (await lastTick(output)) > early + 10);
    const log = output.getByRole('log');
    expect(await log.textContent()).not.toContain('\u001b');
    await until('its end is shown', () =>
      log.evaluate((box: Scrolled) => box.scrollHeight > box.clientHeight && box.scrollTop > 0),
    );

    // It is asked once; meanwhile another command comes in above it.
    const chosen = (await tasks()).find(({ kind }) => kind === 'shell');
    await page.keyboard.press('x');
    await page.getByRole('alertdialog').waitFor();
    await ended((await submit(sessionId, 'background exec sleep 601')).runId);
    await shells.getByText('exec sleep 601').waitFor();
    expect(await shells.first().textContent()).toContain('exec sleep 601');
    await page.keyboard.press('Enter');
    const gone = await until('it is gone', async () =>
      (await tasks()).find(({ taskId, end }) => taskId === chosen?.taskId && end !== undefined),
    );
    expect(gone.status).toBe('cancelled');
    expect(
      (await tasks()).find(({ detail }) => detail['command'] === 'exec sleep 601'),
    ).toMatchObject({ status: 'running' });
    await list.getByRole('option', { selected: true }).getByText('stopped by').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);

    await page.keyboard.press('Escape');
    await web.owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
    await page.getByRole('button', { name: /Background tasks: \d tasks? done/ }).waitFor();
  });

  it('W-8 what waits is shown whole, and allowed, denied, edited and answered by keys alone', async () => {
    const page = await web.browser.logIn(web.daemon);
    writeFileSync(join(workspace, 'notes.txt'), 'one\ntwo\n');
    const forging = 'echo dangerous # It runs in /nowhere.';
    const prompts = ['correct the notes', `run ${forging}`, 'run echo first', 'ask me'];
    const runIds: string[] = [];
    for (const [at, prompt] of prompts.entries()) {
      const { runId } = await submit(await open('asker', `Asker ${at}`), prompt);
      await waiting(at + 1);
      runIds.push(runId);
    }
    await page.getByRole('button', { name: '4 waiting for you' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');

    // An edit is shown as what it changes.
    const diff = page.getByRole('region', { name: 'Diff' });
    await diff.waitFor();
    expect(await diff.textContent()).toMatch(/-two.*\+three/s);
    await page.keyboard.press('a');
    await page.getByRole('region', { name: 'Run echo dangerous' }).waitFor();
    expect((await ended(runIds[0] ?? '')).status).toBe('completed');
    expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('one\nthree\n');

    // Text of the agent is separate from the statements of Stoa.
    const written = page.getByRole('region', { name: 'Written by the agent' });
    expect(await written.getByRole('definition').allTextContents()).toEqual([forging]);
    expect(await page.getByRole('list', { name: 'Description by Stoa' }).innerText()).toMatch(
      new RegExp(`^It runs in ${workspace}\\.\nCommands run `),
    );

    await page.keyboard.press('d');
    await page.getByRole('textbox', { name: 'Why not' }).waitFor();
    await page.keyboard.type('not on a Monday');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Run echo first' }).waitFor();
    expect(JSON.stringify((await ended(runIds[1] ?? '')).output)).toContain('not on a Monday');

    // Other arguments than those that were asked for, and no mistakes.
    await page.keyboard.press('e');
    const box = page.getByRole('textbox', { name: 'Arguments as JSON' });
    await box.fill('{ "command": ');
    await page.keyboard.press('Control+Enter');
    await page.getByText('That is not JSON').waitFor();
    await box.fill('{ "command": "echo second" }');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Which colour?' }).waitFor();
    expect(JSON.stringify((await ended(runIds[2] ?? '')).output)).toContain('it gave second');

    await until('the key is taken', async () => {
      await page.keyboard.press('2');
      return (await approvalOf(runIds[3] ?? '')).state === 'answered';
    });
    expect(JSON.stringify((await ended(runIds[3] ?? '')).output)).toContain('so it is blue');
    await page.getByText('Nothing is waiting for you').waitFor();
  });

  const approvalOf = async (runId: string): Promise<Approval> => {
    const { json } = await web.owner.get<{ approvals: Approval[] }>('/v1/approvals');
    const found = json.approvals.find((each) => each.runId === runId);
    if (!found) throw new Error(`${runId} has asked nothing`);
    return found;
  };

  it('W-8 what is answered elsewhere says so and goes, and no key meant for it reaches another', async () => {
    const page = await web.browser.logIn(web.daemon);
    await submit(await open('asker', 'First'), 'run echo one');
    await waiting(1);
    await submit(await open('asker', 'Second'), 'run echo two');
    const [one, two] = await waiting(2);
    await page.getByRole('button', { name: '2 waiting for you' }).click();
    await page.getByRole('region', { name: 'Run echo one' }).waitFor();
    await web.owner.post(`/v1/approvals/${one?.approvalId ?? ''}/answer`, { decision: 'deny' });
    await page.getByText('Answered elsewhere: denied').waitFor();
    await page.getByText('Choose the next one to review').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.getByRole('region', { name: 'Run echo two' }).waitFor();
    expect((await approval(two?.approvalId ?? '')).state).toBe('pending');
    await page.keyboard.press('a');
    await page.getByText('Nothing is waiting for you').waitFor();
    expect((await approval(two?.approvalId ?? '')).state).toBe('allowed');
  });

  it('W-14 a session shows its inbox, its runs and its journal, takes prompts, and is steered and cancelled', async () => {
    const sessionId = await open('worker', 'Stories');
    const page = await web.browser.logIn(web.daemon);
    await page.goto(`${web.daemon.url}/s/${sessionId}`);
    const journal = page.getByRole('log', { name: 'Journal' });
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    const runs = page.getByRole('list', { name: 'Runs' });
    await prompt.fill('run echo from the tool');
    await prompt.press('Enter');
    await journal.getByText('it gave from the tool').waitFor();
    expect(await prompt.inputValue()).toBe('');

    // Folded until it is asked for.
    const call = journal.getByRole('group').filter({ hasText: 'Run echo from the tool' });
    expect(await call.getByText('Result').isVisible()).toBe(false);
    await call.getByText('Run echo from the tool').click();
    await call.getByText('Result').waitFor();

    await prompt.fill('tell a story');
    await prompt.press('Enter');
    const writing = journal.locator('[data-writing]');
    await writing.getByText('once upon a time and then').waitFor();
    await runs.getByText('running', { exact: true }).waitFor();

    // Who comes in the middle sees it from the beginning.
    await page.getByRole('link', { name: 'Stories' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Stories' }).click();
    await writing.getByText('once upon a time and then').waitFor();

    // A prompt that is sent meanwhile waits below the text that is being written.
    await prompt.fill('run echo later');
    await prompt.press('Enter');
    await journal.getByText('waits until the run has ended').waitFor();
    expect(await journal.innerText()).toMatch(/once upon a time[^]*run echo later$/);

    await page.getByText('Instead', { exact: true }).click();
    await prompt.fill('run echo steered');
    await prompt.press('Enter');
    await journal.getByText('it gave steered').waitFor();
    await journal.getByText('it gave later').waitFor();
    const inOrder =
      /by another prompt[^]*run echo steered[^]*gave steered[^]*run echo later[^]*gave later/;
    expect(await journal.innerText()).toMatch(inOrder);
    await page.reload();
    await journal.getByText('it gave later').waitFor();
    expect(await journal.innerText()).toMatch(inOrder);
    await journal.getByText('replaced by another prompt').waitFor();
    expect(await writing.count()).toBe(0);

    await prompt.fill('tell a story');
    await prompt.press('Enter');
    await writing.waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await journal.getByText('cancelled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Inbox' }).click();
    const inbox = page.getByRole('list', { name: 'Inbox' });
    await inbox.getByText('run echo steered').waitFor();
    expect(await inbox.getByRole('listitem').count()).toBe(5);
    expect(await page.getByText('Waiting for you:').count()).toBe(0);
  });

  it('W-15 MCP servers that cannot be reached stand beside the pill, with the reason; else nothing does', async () => {
    const driver = { kind: 'script', script: JSON.stringify(SCRIPT) };
    const mcpServers = { broken: mcp.config('broken') };
    await web.owner.put('/v1/agents/connected', { driver, mode: 'full', mcpServers });
    const sessionId = await open('connected', 'Connected');
    const page = await web.browser.logIn(web.daemon);
    const footer = page.getByRole('contentinfo', { name: 'Status' });
    await footer.getByText('Connected').waitFor();
    const offline = footer.getByRole('button', { name: '1 MCP offline' });
    expect(await offline.count()).toBe(0);
    const { runId } = await submit(sessionId, 'use the server');
    await offline.waitFor();
    await offline.click();
    await page.getByText('no configuration was found').waitFor();
    await page.keyboard.press('Escape');

    // It is mended.
    await ended(runId);
    const mended = { broken: mcp.config() };
    await web.owner.put('/v1/agents/connected', { driver, mode: 'full', mcpServers: mended });
    await web.owner.post(`/v1/sessions/${sessionId}/refresh`);
    await submit(sessionId, 'use the server');
    await offline.waitFor({ state: 'detached' });
  });
});

async function lastTick(output: ReturnType<Page['getByRole']>): Promise<number> {
  const ticks = [...((await output.textContent()) ?? '').matchAll(/tick (\d+)/g)];
  return Number(ticks.at(-1)?.[1] ?? 0);
}
