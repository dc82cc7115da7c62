import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Session, SessionEvent, Task } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  openSession,
  PROGRAM,
  pendingApproval,
  startDaemon,
  submit,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stoa } from '../stoa-command.js';

/** Not in /tmp, where commands have a directory of their own. */
const root = fs.realpathSync(fs.mkdtempSync('/var/tmp/stoa-hostile-'));
const userHome = join(root, 'home');
const workspace = join(root, 'work');
const canary = join(workspace, 'canary');
const localBin = join(userHome, '.local/bin');
const userPath = `${localBin}:${join(userHome, '.cargo/bin')}:/usr/bin:/bin`;
const installation = join(dirname(PROGRAM), '../../..');

let daemon: TestDaemon;
let owner: Caller;

beforeAll(async () => {
  const directories = ['.local/bin', '.cargo/bin', '.cargo/registry', '.npm', '.config', '.ssh'];
  for (const name of [...directories, 'open']) {
    fs.mkdirSync(join(userHome, name), { recursive: true });
  }
  for (const name of ['.bashrc', '.profile', '.config/x', '.ssh/authorized_keys']) {
    fs.writeFileSync(join(userHome, name), 'original\n');
  }
  writeProgram(join(userHome, '.cargo/bin/cargo'), 'echo cargo of the user');
  newRepository(workspace);
  daemon = await startDaemon({
    env: { HOME: userHome, PATH: userPath, ...IDENTITY },
    config: `sandbox:\n  writable: ['~/open']\nlog:\n  level: info\n`,
  });
  owner = callerOf(daemon.url, daemon.token);
});

afterAll(async () => {
  await daemon.cleanUp();
  fs.rmSync(root, { recursive: true, force: true });
});

const IDENTITY = {
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' },
};

function writeProgram(path: string, script: string): void {
  fs.writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function git(cwd: string, ...args: string[]): string {
  const own = ['-c', 'protocol.file.allow=always', '-c', 'user.name=a', '-c', 'user.email=a@b'];
  return execFileSync('/usr/bin/git', [...own, ...args], { cwd, encoding: 'utf8' });
}

function newRepository(directory: string): void {
  fs.mkdirSync(directory, { recursive: true });
  git(directory, 'init', '--quiet', '--initial-branch=main');
  git(directory, 'config', 'user.name', 'a');
  git(directory, 'config', 'user.email', 'a@example.org');
  fs.writeFileSync(join(directory, 'a.txt'), 'one\n');
  git(directory, 'add', '.');
  git(directory, 'commit', '--quiet', '-m', 'first');
}

type Step = Readonly<Record<string, unknown>>;

let agents = 0;

/** A session of an agent that makes these calls, one after the other, on its first prompt. */
async function begin(
  calls: readonly Step[],
  {
    mode = 'full',
    directory = workspace,
    on = owner,
    definition = {},
  }: {
    readonly mode?: string;
    readonly directory?: string;
    readonly on?: Caller;
    readonly definition?: Step;
  } = {},
): Promise<string> {
  agents += 1;
  const agentId = `attacker-${String(agents)}`;
  const steps = [...calls.map((call) => ({ call })), { say: 'done' }];
  const script = { turns: [{ when: { contains: 'BEGIN' }, steps }], otherwise: [{ pass: true }] };
  const driver = { kind: 'script', script: JSON.stringify(script) };
  const made = await on.put(`/v1/agents/${agentId}`, { driver, mode, ...definition });
  expect(made.status, made.text).toBe(200);
  const sessionId = await openSession(on, { agentId, workspace: directory });
  await submit(on, sessionId, 'BEGIN');
  return sessionId;
}

async function journal(sessionId: string, on = owner): Promise<SessionEvent[]> {
  const path = `/v1/topics/session:${sessionId}/events?limit=200`;
  return (await on.get<{ events: SessionEvent[] }>(path)).json.events;
}

/** What the calls of a session answered, once all of them have. */
async function results(sessionId: string, count: number, on = owner): Promise<string[]> {
  return until(`${String(count)} calls have ended`, async () => {
    const found = (await journal(sessionId, on)).flatMap((event) =>
      event.type === 'tool_result' ? [event.data.output] : [],
    );
    return found.length >= count ? found : undefined;
  });
}

/** Runs commands in the sandbox of a session, and answers with what each printed. */
async function run(
  commands: readonly string[],
  options: Parameters<typeof begin>[1] = {},
): Promise<string[]> {
  const calls = commands.map((command) => ({ tool: 'shell', input: { command } }));
  return results(await begin(calls, options), commands.length, options.on);
}

const asked = (sessionId: string, on = owner) => pendingApproval(on, sessionId);

const deny = (approvalId: string, on = owner) =>
  on.post(`/v1/approvals/${approvalId}/answer`, { decision: 'deny' });

const HELPERS = ['head', 'grep', 'cat', 'rm', 'mkfifo', 'stdbuf', 'env', 'sh', 'bash', 'rg'];

/** Copies the token of the owner to where the attacker reads it, and goes on as the real program. */
function plant(names: readonly string[]): void {
  for (const name of names) {
    const steal = `/usr/bin/cat ${daemon.home}/token >>${canary} 2>/dev/null`;
    writeProgram(join(localBin, name), `${steal}\nexec /usr/bin/${name} "$@"`);
  }
}

const stolen = (): string => (fs.existsSync(canary) ? fs.readFileSync(canary, 'utf8') : '');

describe('programs that an attacker puts into the PATH', () => {
  it('SE-1 a command cannot write into a directory of the PATH', async () => {
    const [output = ''] = await run([`echo '#!/bin/sh' > ${localBin}/bwrap`]);
    expect(output).toContain('Read-only file system');
    expect(fs.readdirSync(localBin)).toEqual([]);
  });

  it('SE-1 SE-2 a planted bwrap or helper never runs outside the sandbox', async () => {
    plant(['bwrap', ...HELPERS]);
    try {
      const started = join(workspace, 'started');
      const mark = (what: string): string => `echo ${what} >>${started}; exit 1`;
      const mcpServers = { tool: { command: 'sh', args: ['-c', mark('mcp')] } };
      const sessionId = await begin(
        [
          { tool: 'shell', input: { command: `yes | head -c 9000000; ${mark('foreground')}` } },
          { tool: 'shell', input: { command: mark('pty'), pty: true } },
          { tool: 'grep', input: { pattern: 'one' } },
          {
            tool: 'shell',
            input: { command: mark('background'), is_background: true, stdin: true },
          },
        ],
        { definition: { mcpServers } },
      );
      const outputs = await results(sessionId, 4);
      expect(outputs[2]).toContain('a.txt');
      const acp = { driver: { kind: 'acp', command: ['sh', '-c', mark('acp')] } };
      await begin([], { definition: acp });
      await until('all of them were started', () => {
        const text = fs.existsSync(started) ? fs.readFileSync(started, 'utf8') : '';
        const all = ['foreground', 'pty', 'background', 'mcp', 'acp'];
        return all.every((what) => text.includes(what));
      });
      expect(stolen()).not.toContain(daemon.token);
      expect(stolen()).toBe('');
    } finally {
      for (const name of fs.readdirSync(localBin)) fs.rmSync(join(localBin, name));
    }
  });

  it('SE-4 the PATH of the user is found inside, and a fixed one outside', async () => {
    const sessionId = await begin([
      { tool: 'shell', input: { command: 'echo "PATH is $PATH"; cargo build' } },
      { tool: 'shell', input: { command: 'sleep 600', is_background: true } },
    ]);
    const [inside = ''] = await results(sessionId, 2);
    expect(inside).toBe(`PATH is ${userPath}\ncargo of the user\n`.trim());
    const task = await until('it runs', async () => {
      const { json } = await owner.get<{ tasks: Task[] }>(`/v1/tasks?sessionId=${sessionId}`);
      return json.tasks.find(({ detail }) => detail['pid'] !== undefined);
    });
    const wrapper = Number(task.detail['pid']);
    const around = [wrapper, ...childrenOf(wrapper)];
    expect(around.length).toBeGreaterThan(1);
    for (const pid of around) expect(variable(pid, 'PATH')).toBe('/usr/bin:/bin');
    await owner.post(`/v1/sessions/${sessionId}/tasks/stop`);
  });
});

const childrenOf = (pid: number): number[] =>
  fs
    .readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);

const variable = (pid: number, name: string): string | undefined =>
  fs
    .readFileSync(`/proc/${String(pid)}/environ`, 'utf8')
    .split('\0')
    .find((text) => text.startsWith(`${name}=`))
    ?.slice(name.length + 1);

describe('a command that writes where it should not', () => {
  it('SE-6 cannot change what is outside its workspace, nor the hooks of a repository', async () => {
    const other = join(root, 'other');
    newRepository(other);
    const targets = [
      ...[
        '.bashrc',
        '.profile',
        '.bash_profile',
        '.config/x',
        '.config/new',
        '.ssh/authorized_keys',
      ],
      ...['.local/bin/tool', '.cargo/bin/cargo', '.cargo/config.toml'],
    ].map((name) => join(userHome, name));
    const hooks = [
      ...['.git/hooks/pre-commit', '.git/config'].map((name) => join(other, name)),
      ...['.git/hooks/pre-commit', '.git/config'].map((name) => join(workspace, name)),
    ];
    const all = [...targets, ...hooks];
    const before = all.map(contentOf);
    const commands = all.map((path) => `echo evil >> ${path}`);
    const outputs = await run(commands);
    for (const [index, output] of outputs.entries()) {
      expect(output, commands[index]).toContain('Read-only file system');
    }
    expect(all.map(contentOf)).toEqual(before);
  });

  it('SE-6 cannot get to its hooks by moving what surrounds them', async () => {
    const tries = [
      'mv .git elsewhere && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit',
      'rm -rf .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
      'ln .git/config linked && echo evil >> linked',
      'mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
      'echo evil > .git/x && mv .git/x .git/config',
      'mount -o remount,rw,bind .git/hooks; umount .git/config; echo evil >> .git/config',
      "unshare -r -m sh -c 'umount .git/config; mount -o remount,rw,bind .git/hooks; echo evil >> .git/config; echo evil > .git/hooks/pre-commit'",
      'git config core.fsmonitor "touch evil"',
    ];
    const config = contentOf(join(workspace, '.git/config'));
    await run(tries);
    expect(contentOf(join(workspace, '.git/config'))).toBe(config);
    expect(fs.existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(git(workspace, 'log', '--format=%s')).toBe('first\n');
  });

  it('SE-6 can change its workspace, its temporary directory, caches and what a setting opens', async () => {
    const [commit, temporary, again, cache, open, registry] = await run([
      'echo two >> a.txt && git add a.txt && git commit --quiet -m second && git log --format=%s',
      'echo kept > /tmp/note && mktemp && ls /tmp',
      'cat /tmp/note',
      'echo x > ~/.npm/x && echo written',
      'echo x > ~/open/x && echo written',
      'echo x > ~/.cargo/registry/x && echo written',
    ]);
    expect(commit).toBe('second\nfirst');
    expect(temporary).toContain('note');
    expect(again).toBe('kept');
    expect([cache, open, registry]).toEqual(['written', 'written', 'written']);
    expect(fs.existsSync('/tmp/note')).toBe(false);
    expect(git(workspace, 'log', '-1', '--format=%s')).toBe('second\n');
  });

  it('SE-6 commits in a worktree and in a submodule, whose hooks are read-only too', async () => {
    const main = join(root, 'main');
    const library = join(root, 'library');
    newRepository(main);
    newRepository(library);
    git(main, 'worktree', 'add', '--quiet', '-b', 'side', join(root, 'side'));
    git(main, 'submodule', '--quiet', 'add', library, 'sub');
    git(main, 'commit', '--quiet', '-m', 'submodule');
    const sub = join(main, 'sub');
    for (const [key, value] of [
      ['user.name', 'a'],
      ['user.email', 'a@b'],
    ] as const) {
      git(sub, 'config', key, value);
    }
    const attack = [
      'echo two >> a.txt && git commit --quiet -a -m second && git log -1 --format=%s',
      'echo evil >> "$(git rev-parse --git-common-dir)/config"',
      'echo evil > "$(git rev-parse --git-path hooks)/pre-commit"',
      `echo "gitdir: ${userHome}/.ssh" > .git`,
    ];
    for (const directory of [join(root, 'side'), sub]) {
      const [commit, ...refused] = await run(attack, { directory });
      expect(commit, directory).toBe('second');
      for (const output of refused) expect(output, directory).toContain('Read-only file system');
    }
    // From the superproject the configuration of a submodule is as closed.
    const [output] = await run(['echo evil >> .git/modules/sub/config'], { directory: main });
    expect(output).toContain('Read-only file system');
  });

  it('SE-6 a .git file that names a directory which does not name it back opens nothing', async () => {
    const trap = join(root, 'trap');
    fs.mkdirSync(trap);
    fs.writeFileSync(join(trap, '.git'), `gitdir: ${join(userHome, '.ssh')}\n`);
    const [output] = await run(['echo evil >> ~/.ssh/authorized_keys'], { directory: trap });
    expect(output).toContain('Read-only file system');
  });

  it('SE-5 cannot change the installation of Stoa, also where it lies in the workspace', async () => {
    const tries = [
      'echo x >> packages/cli/dist/stoa.js',
      'touch packages/web/dist/planted',
      'touch node_modules/planted',
      'mv packages/cli packages/moved && mv packages/moved packages/cli && echo was moved',
      'mv packages moved && mv moved packages && echo was moved',
    ];
    const within = await run(tries, { directory: fs.realpathSync(installation) });
    for (const output of within) {
      expect(output).toMatch(/Read-only file system|Device or resource busy/);
      expect(output).not.toContain('was moved');
    }
    const [elsewhere] = await run([`echo x >> ${fs.realpathSync(PROGRAM)}`]);
    expect(elsewhere).toContain('Read-only file system');
  });
});

const contentOf = (path: string): string | undefined =>
  fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined;

describe('what people learn about the sandbox', () => {
  const words = /network.*workspace.*~\/\.npm.*~\/open.*can read/s;

  it('SE-7 the approval of a command says what is not protected', async () => {
    const call = { tool: 'shell', input: { command: 'true' } };
    const sessionId = await begin([call], { mode: 'ask' });
    const { notes = [], approvalId } = await asked(sessionId);
    expect(notes.join(' ')).toMatch(words);
    await deny(approvalId);
    const background = { tool: 'monitor', input: { command: 'true' } };
    const monitor = await asked(await begin([background], { mode: 'ask' }));
    expect(monitor.notes?.join(' ')).toMatch(words);
    await deny(monitor.approvalId);
  });

  it('SE-7 the approval of a command of an ACP program says it too', async () => {
    const prompt = '!ask c1 execute {"command":"id > canary"}';
    const { notes = [], approvalId } = await asked(await beginProgram(prompt, 'ask'));
    expect(notes.join(' ')).toMatch(words);
    await deny(approvalId);
  });

  it('SE-7 the doctor and the documents say it', async () => {
    const { out } = await stoa(['doctor'], {
      env: { HOME: userHome, STOA_HOME: daemon.home, STOA_PORT: '1' },
    });
    expect(out).toMatch(words);
    for (const file of ['docs/tools.md', 'SECURITY.md']) {
      const text = fs.readFileSync(join(installation, file), 'utf8').replaceAll(/\s+/g, ' ');
      expect(text, file).toMatch(/does not protect/i);
      for (const word of ['network', 'sandbox.writable', 'can read']) expect(text).toContain(word);
    }
  });
});

/** A session of an agent program that does what the prompt says. */
async function beginProgram(prompt: string, mode: string): Promise<string> {
  agents += 1;
  const agentId = `program-${String(agents)}`;
  const driver = {
    kind: 'acp',
    command: [process.execPath, FAKE_AGENT],
    env: { FAKE_AGENT: '{}' },
  };
  const made = await owner.put(`/v1/agents/${agentId}`, { driver, mode });
  expect(made.status, made.text).toBe(200);
  const { json } = await owner.post<Session>('/v1/sessions', { agentId, workspace });
  await owner.post(`/v1/sessions/${json.sessionId}/inbox`, { text: prompt });
  return json.sessionId;
}

describe('edits of protected paths in auto-edit', () => {
  const evil = '[core]\n\tfsmonitor = "touch evil; false"\n';

  it('SE-35 ask before git is configured, so that the next git status runs nothing', async () => {
    const call = { tool: 'write_file', input: { path: '.git/config', content: evil } };
    const sessionId = await begin([call], { mode: 'auto-edit' });
    const { approvalId, suggestedRule, reason } = await asked(sessionId);
    expect(reason).toContain('protected');
    expect(suggestedRule).toBeUndefined();
    await deny(approvalId);
    git(workspace, 'status');
    expect(fs.existsSync(join(workspace, 'evil'))).toBe(false);
  });

  it('SE-36 ask directly, through links, through .. and in another case, also for edits, renames and deletions', async () => {
    fs.mkdirSync(join(workspace, 'src'), { recursive: true });
    fs.symlinkSync('.git', join(workspace, 'link'));
    fs.symlinkSync('../.git/config', join(workspace, 'src/notes.txt'));
    fs.linkSync(join(workspace, '.git/config'), join(workspace, 'src/hard.txt'));
    try {
      const paths = [
        ...['.git/hooks/pre-commit', 'link/config', 'src/notes.txt', 'src/hard.txt'],
        ...['src/../.git/config', '.GIT/config', '.stoa/agents/a.md', 'agents.md', 'src/CLAUDE.md'],
        ...['.mcp.json', '.vscode/tasks.json', '.envrc', '.husky/pre-commit', '.bashrc'],
      ];
      fs.writeFileSync(join(workspace, 'src/CLAUDE.md'), 'Be kind.\n');
      fs.writeFileSync(join(workspace, 'src/plain.md'), 'Be kind.\n');
      const write = (path: string) => ({ tool: 'write_file', input: { path, content: evil } });
      const edit = (path: string) => ({
        tool: 'edit_file',
        input: { path, old_string: 'kind', new_string: 'evil' },
      });
      const shell = (command: string) => ({ tool: 'shell', input: { command } });
      const guarded = [
        ...paths.map(write),
        ...['src/CLAUDE.md', 'src/../src/CLAUDE.md'].map(edit),
        ...['mv src/plain.md AGENTS.md', 'mv src/CLAUDE.md src/x', 'rm src/CLAUDE.md'].map(shell),
        shell('echo evil > src/CLAUDE.md'),
      ];
      const free = [write('src/plain.txt'), edit('src/plain.md')];
      const definition = { permissions: { allow: ['Shell(echo *)'] } };
      const sessionId = await begin([...guarded, ...free], { mode: 'auto-edit', definition });
      for (const { input } of guarded) {
        const approval = await asked(sessionId);
        expect(approval.input).toMatchObject(input);
        await deny(approval.approvalId);
      }
      await results(sessionId, guarded.length + free.length);
      expect(contentOf(join(workspace, 'src/plain.txt'))).toBe(evil);
      expect(contentOf(join(workspace, 'src/plain.md'))).toBe('Be evil.\n');
      expect(contentOf(join(workspace, 'src/CLAUDE.md'))).toBe('Be kind.\n');
      expect(contentOf(join(workspace, 'AGENTS.md'))).toBeUndefined();
    } finally {
      for (const name of ['link', 'src']) {
        fs.rmSync(join(workspace, name), { recursive: true, force: true });
      }
    }
  });

  it('SE-36 ask for the file calls of an ACP program', async () => {
    for (const path of ['.git/config', 'AGENTS.md']) {
      const full = join(workspace, path);
      const before = contentOf(full);
      const { approvalId } = await asked(await beginProgram(`!write ${full} evil`, 'auto-edit'));
      await deny(approvalId);
      expect(contentOf(full)).toBe(before);
    }
    const plain = join(workspace, 'plain.txt');
    await beginProgram(`!write ${plain} hello`, 'auto-edit');
    await until('what is not protected is written', () => contentOf(plain) === 'hello');
  });

  it('SE-36 do not ask where a rule names the path, and ask where one only covers it', async () => {
    const call = { tool: 'write_file', input: { path: 'AGENTS.md', content: 'Be kind.\n' } };
    const covering = { permissions: { allow: ['Edit', 'Edit(**)', 'Edit(*.md)'] } };
    const { approvalId } = await asked(await begin([call], { mode: 'ask', definition: covering }));
    await deny(approvalId);
    const naming = { permissions: { allow: ['Edit(AGENTS.md)'] } };
    await results(await begin([call], { mode: 'ask', definition: naming }), 1);
    expect(contentOf(join(workspace, 'AGENTS.md'))).toBe('Be kind.\n');
  });
});

describe('a program of the system that somebody else could change', () => {
  const NOT_ROOT = 'only root can put a file over a program of the system';
  const isRoot = process.getuid?.() === 0;

  /** A daemon that sees these files as programs in /usr/bin, and nobody else does. */
  async function daemonWith(files: SystemFiles): Promise<{ other: TestDaemon; caller: Caller }> {
    const other = await startDaemon({
      env: { HOME: userHome, PATH: userPath },
      wrapper: over(files),
    });
    return { other, caller: callerOf(other.url, other.token) };
  }

  type SystemFiles = Readonly<Record<string, string>>;

  const over = (files: SystemFiles): string[] => [
    ...['/usr/bin/unshare', '--mount', '/bin/sh', '-c'],
    `${Object.entries(files)
      .map(([name, file]) => `mount --bind ${file} /usr/bin/${name} && `)
      .join('')}mount -t tmpfs none /run && mkdir -p /run/user/1 &&
     echo service >/run/user/1/bus && echo service >/run/docker.sock && exec "$@"`,
    'sh',
  ];

  const noted = async (caller: Caller): Promise<string> => {
    const call = { tool: 'shell', input: { command: 'true' } };
    const { approvalId, notes = [] } = await asked(
      await begin([call], { mode: 'ask', on: caller }),
      caller,
    );
    await deny(approvalId, caller);
    return notes.join(' ');
  };

  it('SE-3 is not used when it does not belong to root', async (context) => {
    if (!isRoot) context.skip(NOT_ROOT);
    const bwrap = join(root, 'bwrap-of-nobody');
    fs.copyFileSync('/usr/bin/bwrap', bwrap);
    fs.chownSync(bwrap, 65_534, 65_534);
    const { other, caller } = await daemonWith({ bwrap });
    try {
      const words = /without a sandbox \(\/usr\/bin\/bwrap does not belong to root\)/;
      expect(await noted(caller)).toMatch(words);
      await until('the log says it', () => words.test(other.output().stderr));
      const args = [...over({ bwrap }).slice(1), process.execPath, PROGRAM, 'doctor'];
      const env = { PATH: userPath, HOME: userHome, STOA_HOME: other.home };
      expect(execFileSync('/usr/bin/unshare', args, { env, encoding: 'utf8' })).toMatch(words);
    } finally {
      await other.cleanUp();
    }
  });

  it('SE-3 is not used when everybody can write it, and no command runs without it', async (context) => {
    if (!isRoot) context.skip(NOT_ROOT);
    const head = join(root, 'head-of-everybody');
    fs.copyFileSync('/usr/bin/head', head);
    fs.chmodSync(head, 0o757);
    const { other, caller } = await daemonWith({ head });
    try {
      const words = '/usr/bin/head can be written by users other than root';
      expect(await noted(caller)).toContain(`no sandbox, and commands are refused (${words})`);
      const [refused] = await run([`id > ${canary}`], { on: caller });
      expect(refused).toContain(words);
      expect(stolen()).toBe('');
    } finally {
      await other.cleanUp();
    }
  });

  it('SE-3 is not used any more when it is replaced while the daemon runs', async (context) => {
    if (!isRoot) context.skip(NOT_ROOT);
    const bwrap = join(root, 'bwrap-of-root');
    fs.copyFileSync('/usr/bin/bwrap', bwrap);
    fs.chmodSync(bwrap, 0o755);
    const { other, caller } = await daemonWith({ bwrap });
    try {
      expect(await noted(caller)).toMatch(/Commands run in bubblewrap/);
      const services = 'cat /run/user/1/bus /run/docker.sock; ls -A /run/user; touch /run/new';
      const [reached = ''] = await run([services], { on: caller });
      expect(reached).not.toContain('service');
      expect(reached).toContain('Read-only file system');
      writeProgram(bwrap, `cat ${other.home}/token > ${canary}`);
      const words = /\/usr\/bin\/bwrap was replaced since the daemon started/;
      expect(await noted(caller)).toMatch(words);
      await until('the log says it', () => words.test(other.output().stderr));
      await run(['true'], { on: caller });
      expect(stolen()).toBe('');
      expect((await stoa(['doctor'], { env: { STOA_HOME: other.home } })).out).toMatch(words);
    } finally {
      await other.cleanUp();
    }
  });
});
