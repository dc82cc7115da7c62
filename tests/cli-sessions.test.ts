import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type {
  Agent,
  Approval,
  InboxItem,
  Run,
  Schedule,
  Session,
  Stamped,
  UsageReport,
} from '@stoa/protocol';
import { cleanEnvironment, PROGRAM, startDaemon, type TestDaemon, until } from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, type Outcome, ownerOf, type RunningCommand, start } from './stoa-command.js';

const AGENTS: Readonly<Record<string, { script: string; mode?: string }>> = {
  talker: {
    script: `
turns:
  - when: { contains: slowly }
    steps: [{ say: { text: "one two three four five six", everyMs: 60 } }]
  - when: { contains: crawl }
    steps: [{ say: { text: "north east south west up down in away", everyMs: 700 } }]
  - when: { contains: doomed }
    steps: [{ say: { text: "one two three four", everyMs: 100 } }, { fail: { code: lost_it, message: Gone } }]
  - when: { contains: twice }
    steps: [{ say: first }, { say: second }]
  - when: { contains: "escape" }
    steps: [{ say: "red \\x1b[31m alert" }]
otherwise: [{ say: "You wrote: \${input}" }]`,
  },
  writer: {
    script: `
otherwise:
  - say: I shall write.
    call: { tool: write_file, input: { path: notes.txt, content: "remember\\n" }, as: written }
  - say: "It is \${results.written.outcome}."`,
  },
  asker: {
    script: `
otherwise:
  - call: { tool: ask_user, input: { question: Which colour?, options: [{ label: Blue }, { label: Green }] }, as: colour }
  - say: "You chose \${results.colour}."`,
  },
  loser: { script: 'otherwise: [{ say: Oh., fail: { code: lost_it, message: It is gone } }]' },
  sleeper: { script: 'otherwise: [{ say: Good night. }, { wait: 600000, say: Good morning. }]' },
};

let daemon: TestDaemon;
let owner: ReturnType<typeof ownerOf>;
const running: RunningCommand[] = [];
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-cli-sessions-'));
const workspace = path.join(directory, 'workspace');

beforeAll(async () => {
  fs.mkdirSync(workspace);
  daemon = await startDaemon();
  owner = ownerOf(daemon);
  for (const [id, { script, mode = 'ask' }] of Object.entries(AGENTS)) {
    const indented = script.trim().replaceAll('\n', '\n    ');
    const file = path.join(directory, `${id}.md`);
    const front = `driver:\n  kind: script\n  script: |\n    ${indented}\nmode: ${mode}`;
    fs.writeFileSync(file, `---\n${front}\n---\nYou are ${id}.\n`);
    expect(await owner(['agent', 'put', id, file])).toMatchObject({ code: 0, err: '' });
  }
});

beforeEach(() => {
  for (const name of fs.readdirSync(workspace)) fs.rmSync(path.join(workspace, name));
});

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.process.kill('SIGKILL');
    await command.ended;
  }
});

afterAll(async () => {
  await daemon.cleanUp();
  fs.rmSync(directory, { recursive: true, force: true });
});

function begin(args: readonly string[]): RunningCommand {
  const command = start(args, { env: { STOA_HOME: daemon.home }, cwd: workspace });
  running.push(command);
  return command;
}

const run = (args: readonly string[]): Promise<Outcome> =>
  owner(['run', ...args], { cwd: workspace });

const says = (command: RunningCommand, where: 'out' | 'err', text: string): Promise<true> =>
  until(`${where} has ${text}`, () => command.output()[where].includes(text));

const pending = async (sessionId: string): Promise<Approval> =>
  until('an approval is asked for', async () => {
    const args = ['approvals', 'list', '--session', sessionId, '--json'];
    const { approvals } = await json<{ approvals: Approval[] }>(owner(args));
    return approvals[0];
  });

const newSession = async (agent: string): Promise<string> =>
  (await owner(['session', 'new', '--agent', agent, '--workspace', workspace])).out.trim();

const sessionIn = (err: string): string => /session (ses_\w{26})/.exec(err)?.[1] ?? '';

describe('stoa agent', () => {
  it('lists, shows, names and deletes agents', async () => {
    const { out } = await owner(['agent', 'list']);
    expect(out).toMatch(/^AGENT +NAME +DRIVER +MODE +FROM +WHAT\n/);
    expect(out).toMatch(/\ntalker +talker +script +ask +api/);
    expect((await owner(['agent', 'show', 'writer'])).out).toContain(
      '  instructions:\n    You are writer.\n',
    );
    const file = await owner(['agent', 'show', 'writer', '--markdown']);
    await owner(['agent', 'put', 'short', '-'], { input: file.out });
    const defined = async (id: string): Promise<Agent['definition']> =>
      (await json<Agent>(owner(['agent', 'show', id, '--json']))).definition;
    expect(await defined('short')).toEqual(await defined('writer'));
    expect((await owner(['agent', 'show', 'short'])).out).toContain(
      '\n  script:\n    otherwise:\n',
    );
    expect(await owner(['agent', 'delete', 'short'])).toMatchObject({ code: 0, err: '' });
    expect(await owner(['agent', 'show', 'short'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(agent_not_found)\n  see the agents') as string,
    });
  });

  it('lists and shows those of the directory it is called in, or of another', async () => {
    const project = path.join(directory, 'project');
    const agents = path.join(project, '.stoa', 'agents');
    fs.mkdirSync(agents, { recursive: true });
    fs.writeFileSync(path.join(agents, 'local.md'), '---\ndriver: { kind: builtin }\n---\nHi.');
    const ids = async (args: readonly string[], cwd: string): Promise<string[]> =>
      (await owner(['agent', 'list', '-q', ...args], { cwd })).out.trim().split('\n');
    expect(await ids([], project)).toContain('local');
    expect(await ids(['--workspace', 'project'], directory)).toContain('local');
    expect(await ids([], directory)).not.toContain('local');
    const shown = await owner(['agent', 'show', 'local'], { cwd: project });
    expect(shown.out).toContain('Hi.');
    // Not a workspace with agents: those of the daemon are listed.
    expect(await ids([], daemon.home)).toContain('talker');
    expect(await owner(['agent', 'list', '--workspace', daemon.home])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(invalid_workspace)') as string,
    });
  });

  it('R-35 shows how the MCP servers of agents are', async () => {
    const file = path.join(directory, 'connected.md');
    const servers = 'mcpServers: { tickets: { command: no-such-program } }';
    const script = 'otherwise: [{ call: { tool: glob, input: { pattern: x } } }, { say: hi }]';
    const driver = `driver: { kind: script, script: "${script}" }`;
    fs.writeFileSync(file, `---\n${driver}\n${servers}\n---\n`);
    expect((await owner(['agent', 'mcp'])).err).toContain('no MCP servers');
    expect(await owner(['agent', 'put', 'connected', file])).toMatchObject({ code: 0 });
    expect((await owner(['agent', 'mcp', 'connected'])).out).toMatch(
      /^AGENT +SERVER +STATE +TOOLS\nconnected +tickets +idle/,
    );
    expect(await run(['--agent', 'connected', 'go'])).toMatchObject({ code: 0, out: 'hi\n' });
    expect((await owner(['agent', 'mcp'])).out).toMatch(/connected +tickets +offline +\S/);
    expect((await owner(['agent', 'mcp', 'talker'])).out).toBe('');
    expect((await owner(['agent', 'mcp', 'nobody'])).err).toContain('(agent_not_found)');
    await owner(['agent', 'delete', 'connected']);
  });

  it('R-38 sets, changes and clears a nickname, which sessions follow', async () => {
    const sessionId = await newSession('talker');
    const name = async (): Promise<string> =>
      (await json<Session>(owner(['session', 'show', sessionId, '--json']))).agentName;
    expect((await owner(['agent', 'nickname', 'talker', 'Old', 'Chap'])).out).toBe(
      'talker is called Old Chap.\n',
    );
    expect(await name()).toBe('Old Chap');
    const cleared = await json<Agent>(owner(['agent', 'nickname', 'talker', '--json']));
    expect(cleared.nickname).toBeUndefined();
    expect(await name()).toBe('talker');
  });

  it('says what is wrong with a definition, and where', async () => {
    const file = path.join(directory, 'wrong.md');
    fs.writeFileSync(file, '---\ndriver: { kind: magic }\n---\n');
    const { code, err } = await owner(['agent', 'put', 'wrong', file]);
    expect(code).toBe(1);
    expect(err).toContain('driver');
  });
});

describe('stoa run', () => {
  it('writes what the agent says, and what it does beside it, and ends with 0', async () => {
    const { code, out, err } = await run(['--agent', 'talker', 'hello', 'there']);
    expect({ code, out }).toEqual({ code: 0, out: 'You wrote: hello there\n' });
    expect(err).toMatch(/^talker in \S+, mode ask, session ses_\w{26}\ncompleted · \S+\n$/);
  });

  it('R-7 streams: words are there before the rest is written', async () => {
    const command = begin(['run', '--agent', 'talker', 'slowly']);
    await says(command, 'out', 'one');
    expect(command.output().out).not.toContain('six');
    expect(await command.ended).toBe(0);
    expect(command.output().out).toBe('one two three four five six\n');
  });

  it('writes several messages once each', async () => {
    expect((await run(['--agent', 'talker', 'twice'])).out).toBe('first\nsecond\n');
  });

  it('prints no escape sequences', async () => {
    expect((await run(['--agent', 'talker', 'escape'])).out).toBe('red ␛[31m alert\n');
  });

  it('reads the prompt from standard input and goes on in a session', async () => {
    const sessionId = await newSession('talker');
    const args = ['run', '--session', sessionId, '-'];
    expect((await owner(args, { input: 'from a pipe\n' })).out).toBe('You wrote: from a pipe\n');
    expect((await run(['--session', sessionId, 'again'])).out).toBe('You wrote: again\n');
    const { runs } = await json<{ runs: Run[] }>(owner(['session', 'runs', sessionId, '--json']));
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('prints one line of JSON an event, and the result last', async () => {
    const { code, out, err } = await run(['--agent', 'talker', '--json', 'hello']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Stamped | { type: 'result' });
    expect(lines.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['accepted', 'started', 'model_message', 'completed']),
    );
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      outcome: 'completed',
      exitCode: 0,
      text: 'You wrote: hello',
      usage: { modelCalls: 0 },
    });
  });

  it('ends with 1 and why when the run fails', async () => {
    const { code, out, err } = await run(['--agent', 'loser', 'go']);
    expect({ code, out }).toEqual({ code: 1, out: 'Oh.\n' });
    expect(err).toContain('failed: It is gone (lost_it)\n');
    expect(await run(['--agent', 'nobody', 'go'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(unknown_agent)\n  see the agents') as string,
    });
  });

  it('ends as the run does when nobody reads its words any more', () => {
    const command = `'${process.execPath}' '${PROGRAM}' run --agent talker doomed`;
    const { stdout } = spawnSync(
      'bash',
      ['-c', `${command} 2>/dev/null | head -c 1; echo " \${PIPESTATUS[0]}"`],
      {
        env: { ...cleanEnvironment(), STOA_HOME: daemon.home },
        cwd: workspace,
        encoding: 'utf8',
      },
    );
    expect(stdout).toBe('o 1\n');
  });

  it('R-4 cancels the run on Ctrl-C and ends with 130', async () => {
    const command = begin(['run', '--agent', 'sleeper', 'go']);
    await says(command, 'out', 'Good night.');
    command.process.kill('SIGINT');
    expect(await command.ended).toBe(130);
    const { out, err } = command.output();
    expect(out).toBe('Good night.\n');
    expect(err).toContain('cancelled (cancel_command)\n');
    const session = await json<Session>(owner(['session', 'show', sessionIn(err), '--json']));
    expect(session.status).toBe('idle');
  });

  it('goes on when the daemon is killed and comes back, and leaves on the second Ctrl-C', async () => {
    const command = begin(['run', '--agent', 'writer', 'go']);
    const impatient = begin(['run', '--agent', 'sleeper', 'go']);
    await says(command, 'err', 'stoa approvals allow apr_');
    await says(impatient, 'out', 'Good night.');
    const sessionId = sessionIn(command.output().err);
    const { home, port } = daemon;
    await daemon.kill();
    await says(command, 'err', 'the connection was lost');
    impatient.process.kill('SIGINT');
    await says(impatient, 'err', 'it could not be cancelled');
    impatient.process.kill('SIGINT');
    expect(await impatient.ended).toBe(130);
    daemon = await startDaemon({ home, env: { STOA_PORT: String(port) } });
    const { approvalId } = await pending(sessionId);
    await owner(['approvals', 'allow', approvalId]);
    expect(await command.ended).toBe(0);
    expect(command.output().out).toBe('I shall write.\nIt is ok.\n');
  });
});

describe('an approval', () => {
  it('R-19 is reported without a terminal, shown in full, and allowed elsewhere', async () => {
    const command = begin(['run', '--agent', 'writer', 'go']);
    await says(command, 'err', 'stoa approvals allow apr_');
    const { approvalId } = await pending(sessionIn(command.output().err));
    expect(command.output().err).toContain(`stoa approvals allow ${approvalId}`);
    const { out } = await owner(['approvals', 'show', approvalId]);
    expect(out).toContain('"content": "remember\\n"');
    expect(out).toContain('+remember');
    expect((await owner(['approvals'])).out).toContain(approvalId);
    expect((await owner(['approvals', 'allow', approvalId])).out).toBe(
      `${approvalId} is allowed.\n`,
    );
    expect(await command.ended).toBe(0);
    expect(command.output().out).toBe('I shall write.\nIt is ok.\n');
    expect(fs.readFileSync(path.join(workspace, 'notes.txt'), 'utf8')).toBe('remember\n');
    expect(await owner(['approvals', 'deny', approvalId])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(approval_settled)') as string,
    });
  });

  it('R-20 is allowed with other arguments, and these are what runs', async () => {
    const command = begin(['run', '--agent', 'writer', 'go']);
    await says(command, 'err', 'stoa approvals allow apr_');
    const { approvalId } = await pending(sessionIn(command.output().err));
    const input = JSON.stringify({ path: 'other.txt', content: 'instead\n' });
    await owner(['approvals', 'allow', approvalId, '--input', '-'], { input });
    expect(await command.ended).toBe(0);
    expect(fs.readFileSync(path.join(workspace, 'other.txt'), 'utf8')).toBe('instead\n');
  });

  it('is denied with a word to the agent', async () => {
    const command = begin(['run', '--agent', 'writer', 'go']);
    await says(command, 'err', 'stoa approvals allow apr_');
    const { approvalId } = await pending(sessionIn(command.output().err));
    await owner(['approvals', 'deny', approvalId, '--message', 'not here']);
    expect(await command.ended).toBe(0);
    expect(command.output().out).toBe('I shall write.\nIt is denied.\n');
  });

  it('ends with 3 where nobody is to wait, and can be answered later', async () => {
    const { code, err } = await run(['--agent', 'writer', '--no-approval-wait', 'go']);
    expect(code).toBe(3);
    const sessionId = sessionIn(err);
    expect(err).toContain(`watch it with: stoa session follow ${sessionId}`);
    const result = await run(['--agent', 'writer', '--no-approval-wait', '--json', 'go']);
    expect(JSON.parse(result.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      outcome: 'needs_approval',
      exitCode: 3,
      approvalIds: [expect.stringMatching(/^apr_/)],
    });
    const waited = await run(['--agent', 'writer', '--approval-wait', '1s', 'go']);
    expect(waited.code).toBe(3);
    const { approvalId } = await pending(sessionId);
    await owner(['approvals', 'allow', approvalId]);
    await until('the run completed', async () => {
      const { runs } = await json<{ runs: Run[] }>(owner(['session', 'runs', sessionId, '--json']));
      return runs[0]?.status === 'completed';
    });
  });

  it('that is a question is answered with words', async () => {
    const command = begin(['run', '--agent', 'asker', 'go']);
    await says(command, 'err', 'stoa approvals answer apr_');
    const { approvalId } = await pending(sessionIn(command.output().err));
    expect((await owner(['approvals', 'show', approvalId])).out).toContain('1. Blue');
    await owner(['approvals', 'answer', approvalId, 'neither', 'one']);
    expect(await command.ended).toBe(0);
    expect(command.output().out).toContain('neither one');
  });
});

/** `script` of util-linux runs a command on a terminal of its own. */
const script = spawnSync('script', ['--version'], { encoding: 'utf8' });
const hasTerminal = script.status === 0 && script.stdout.includes('util-linux');

describe('a person at the terminal', () => {
  beforeEach((context) => {
    if (!hasTerminal) context.skip('there is no script of util-linux here');
  });

  interface Terminal {
    readonly screen: () => string;
    readonly ended: Promise<number | null>;
    shows(text: string): Promise<true>;
    type(text: string): void;
  }

  function onTerminal(agent: string, env: Readonly<Record<string, string>> = {}): Terminal {
    const line = [process.execPath, PROGRAM, 'run', '--agent', agent, 'go'];
    const quoted = line.map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qfec', quoted, '/dev/null'], {
      env: { ...cleanEnvironment(), STOA_HOME: daemon.home, TERM: 'dumb', ...env },
      cwd: workspace,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text.replaceAll('\r\n', '\n');
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    running.push({ process: child, ended, output: () => ({ out: screen, err: '' }) });
    return {
      screen: () => screen,
      ended,
      shows: (text) => until(`the screen has ${text}`, () => screen.includes(text)),
      type: (text) => void child.stdin.write(text),
    };
  }

  it('R-19 is asked with the arguments and the diff, and says yes', async () => {
    const terminal = onTerminal('writer');
    await terminal.shows('Allow? ');
    expect(terminal.screen()).toContain('"path": "notes.txt"');
    terminal.type('perhaps\n');
    await terminal.shows('type y, n');
    terminal.type('y\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('✓ allowed by human:owner');
    expect(terminal.screen()).toContain('It is ok.');
  });

  it('says no, with a reason', async () => {
    const terminal = onTerminal('writer');
    await terminal.shows('Allow? ');
    terminal.type('n not today\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('✗ denied by human:owner: not today');
  });

  it('R-20 changes the arguments in an editor, and these are what runs', async () => {
    const terminal = onTerminal('writer', { EDITOR: 'sed -i s/notes/edited/' });
    await terminal.shows('Allow? ');
    terminal.type('e\n');
    expect(await terminal.ended).toBe(0);
    expect(fs.readFileSync(path.join(workspace, 'edited.txt'), 'utf8')).toBe('remember\n');
  });

  it('allows such calls always in this session, and is not asked again', async () => {
    const terminal = onTerminal('writer');
    await terminal.shows('Allow? ');
    terminal.type('a\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('✓ allowed by human:owner, always in this session');
    const again = await run([
      '--session',
      sessionIn(terminal.screen()),
      '--no-approval-wait',
      'go',
    ]);
    expect(again).toMatchObject({ code: 0, out: 'I shall write.\nIt is ok.\n' });
  });

  it('answers a question with the number of an option', async () => {
    const terminal = onTerminal('asker');
    await terminal.shows('Answer ');
    terminal.type('2\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('You chose Green.');
  });

  it('is not asked any more when somebody else was first', async () => {
    const terminal = onTerminal('writer');
    await terminal.shows('Allow? ');
    const { approvalId } = await pending(sessionIn(terminal.screen()));
    await owner(['approvals', 'allow', approvalId]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('It is ok.');
  });

  it('R-4 cancels with Ctrl-C while being asked', async () => {
    const terminal = onTerminal('writer');
    await terminal.shows('Allow? ');
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen()).toMatch(
      /Allow\? .*\nstoa: cancelling; press Ctrl-C again to leave immediately\n/,
    );
    expect(terminal.screen()).not.toContain('still pending');
    expect(terminal.screen()).toContain('cancelled (cancel_command)');
  });
});

describe('stoa session', () => {
  it('takes work, shows its inbox and its journal, changes mode, and ends', async () => {
    const sessionId = await newSession('talker');
    expect((await owner(['session', 'list', '-q'])).out.split('\n')).toContain(sessionId);
    const item = await json<InboxItem>(
      owner(['session', 'send', sessionId, 'good', 'day', '--priority', '7', '--json']),
    );
    expect(item).toMatchObject({ priority: 7, rule: 'followup' });
    await until('it is done', async () => {
      const session = await json<Session>(owner(['session', 'show', sessionId, '--json']));
      return session.status === 'idle' && session.queuedRuns === 0;
    });
    expect((await owner(['session', 'inbox', sessionId])).out).toMatch(
      /\nitm_\w{26} +owner +input +followup +delivered .* good day\n$/,
    );
    const journal = (await owner(['session', 'journal', sessionId])).out;
    expect(journal).toMatch(/ owner: good day\n/);
    expect(journal).toMatch(/ talker: You wrote: good day\n.* \* completed\n$/);
    expect((await owner(['session', 'mode', sessionId, 'plan'])).out).toBe('plan\n');
    expect((await owner(['session', 'mode', sessionId])).out).toBe('plan\n');
    expect((await owner(['session', 'cancel', sessionId])).out).toBe(
      `${sessionId} has no active run.\n`,
    );
    expect((await owner(['session', 'clear', sessionId])).code).toBe(0);
    expect((await owner(['session', 'refresh', sessionId])).code).toBe(0);
    expect((await owner(['session', 'end', sessionId])).out).toContain('  status      ended\n');
    expect(await owner(['session', 'send', sessionId, 'too late'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('(session_ended)\n  create another') as string,
    });
    expect((await owner(['session', 'list', '-q'])).out.split('\n')).not.toContain(sessionId);
  });

  it('sends nothing twice under one key', async () => {
    const sessionId = await newSession('talker');
    const send = ['session', 'send', sessionId, 'once', '--key', 'k1'];
    expect(await owner(send)).toEqual(await owner(send));
  });

  it('cancels what it is doing', async () => {
    const sessionId = await newSession('sleeper');
    await owner(['session', 'send', sessionId, 'go']);
    await until('it works', async () => {
      const session = await json<Session>(owner(['session', 'show', sessionId, '--json']));
      return session.activeRunId !== undefined;
    });
    expect((await owner(['session', 'cancel', sessionId])).out).toMatch(/^run_\w{26} is cancelled/);
  });

  it('is followed, from now or from the beginning, words as they are written', async () => {
    const sessionId = await newSession('talker');
    const live = begin(['session', 'follow', sessionId, '--since', '0']);
    await says(live, 'out', 'session of talker');
    await owner(['session', 'send', sessionId, 'slowly']);
    await says(live, 'out', 'one');
    expect(live.output().out).not.toContain('six');
    await says(live, 'out', 'one two three four five six\n');
    await says(live, 'out', '* completed');
    const lines = begin(['session', 'follow', sessionId, '--since', '0', '--json']);
    await says(lines, 'out', '"type":"completed"');
    await owner(['session', 'end', sessionId]);
    expect(await live.ended).toBe(0);
    expect(await lines.ended).toBe(0);
    const [first] = lines.output().out.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ type: 'session_created', seq: 1 });
  });
});

describe('a late subscriber', () => {
  it('R-7 gets the text so far, and then the rest', async () => {
    const sessionId = await newSession('talker');
    const first = begin(['run', '--session', sessionId, 'crawl']);
    await says(first, 'out', 'north east');
    const late = begin(['session', 'follow', sessionId]);
    await says(late, 'out', 'north east south');
    expect(late.output().out).not.toContain('away');
    await says(late, 'out', '* completed');
    expect(late.output().out).toMatch(/^north east south west up down in away\n.* \* completed\n$/);
    expect(await first.ended).toBe(0);
    expect(first.output().out).toBe('north east south west up down in away\n');
  });
});

describe('stoa schedule', () => {
  it('adds, lists, shows, pauses, resumes, triggers and removes', async () => {
    const sessionId = await newSession('talker');
    const added = await owner([
      ...['schedule', 'add', '--session', sessionId, '--cron', '0 9 * * 1-5'],
      ...['--time-zone', 'Europe/Berlin', '--overlap', 'queue_one', 'what', 'happened?'],
    ]);
    expect(added).toMatchObject({
      code: 0,
      err: expect.stringContaining('it first fires') as string,
    });
    const id = added.out.trim();
    const show = (): Promise<Schedule> => json<Schedule>(owner(['schedule', 'show', id, '--json']));
    expect(await show()).toMatchObject({
      title: 'what happened?',
      overlap: 'queue_one',
      misfire: 'coalesce_once',
      cadence: { kind: 'cron', timeZone: 'Europe/Berlin' },
    });
    expect((await owner(['schedule', 'list', '--session', sessionId])).out).toMatch(
      /\nsch_\w{26} +active +0 9 \* \* 1-5 \(Europe\/Berlin\) +/,
    );
    expect((await owner(['schedule', 'pause', id])).out).toContain('  status      paused\n');
    expect((await owner(['schedule', 'resume', id])).out).toContain('  status      active\n');
    expect((await owner(['schedule', 'trigger', id])).code).toBe(0);
    await until('it was done', async () =>
      (await owner(['session', 'journal', sessionId])).out.includes('You wrote: what happened?'),
    );
    expect((await show()).fires).toBe(1);
    expect((await owner(['schedule', 'remove', id])).out).toContain('  status      ended\n');
  });

  it('fires one no more often than it was to, also by hand', async () => {
    const sessionId = await newSession('talker');
    const add = ['schedule', 'add', '--session', sessionId, '--every', '1h', '--max-fires', '1'];
    const id = (await owner([...add, 'once'])).out.trim();
    expect((await owner(['schedule', 'pause', id])).code).toBe(0);
    expect((await owner(['schedule', 'trigger', id])).out).toMatch(/status +ended\n/);
    expect((await owner(['schedule', 'resume', id])).out).toMatch(/status +ended\n/);
    const triggered = await owner(['schedule', 'trigger', id]);
    expect([triggered.code, /\((\w+)\)/.exec(triggered.err)?.[1]]).toEqual([1, 'schedule_ended']);
    const { fires } = await json<Schedule>(owner(['schedule', 'show', id, '--json']));
    expect(fires).toBe(1);
  });

  it('says when a schedule cannot be', async () => {
    const sessionId = await newSession('talker');
    const wrong = ['schedule', 'add', '--session', sessionId, '--cron', '61 * * * *', 'x'];
    expect(await owner(wrong)).toMatchObject({
      code: 1,
      err: expect.stringContaining('(invalid_schedule)') as string,
    });
  });
});

describe('stoa usage', () => {
  it('shows what was used', async () => {
    const report = await json<UsageReport>(owner(['usage', '--by', 'session', '--json']));
    expect(report.by).toBe('session');
    expect((await owner(['usage', '--by', 'model', '--since', '1h'])).code).toBe(0);
  });
});
