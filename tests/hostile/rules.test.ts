import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Approval, type InboxItem, isTerminalRunStatus, type Run } from '@stoa/protocol';
import {
  answerApproval,
  type Caller,
  callerOf,
  endedRun,
  openSession,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Its run is the command that it is sent. */
const SCRIPT = `turns:
  - repeat: forever
    steps:
      - call: { tool: shell, input: { command: '\${input}' }, as: out }
      - say: '\${results.out}'
`;

const GIT = `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='id > canary;false'`;
const IMPORT = 'data:text/javascript,import(`node:fs`).then(f=>f.writeFileSync(`canary`,``))';

interface Attack {
  readonly id: string;
  readonly allow: readonly string[];
  readonly command: string;
}

/** With a title for each. */
function titled(attacks: readonly Attack[]) {
  return attacks.map((attack) => {
    const title = `${attack.id} allow ${attack.allow.join(', ')}, command ${attack.command}`;
    return [title, attack] as const;
  });
}

/** Each makes the file `canary` when it runs. */
const WITH_EFFECT: readonly Attack[] = [
  {
    id: 'SE-27',
    allow: ['printf *'],
    command: `printf -v x 'a[\\x24(id > canary)]'; printf -v "$x" y`,
  },
  { id: 'SE-28', allow: ['git status*'], command: `bash -kc "git status ${GIT}"` },
  { id: 'SE-28', allow: ['git status*'], command: `bash -xaekc "git status ${GIT}"` },
  { id: 'SE-29', allow: ['printf *', 'ls *'], command: 'printf -v PATH ./evil; ls' },
  { id: 'SE-29', allow: ['read *', 'ls *'], command: 'read PATH <<< ./evil; ls' },
  {
    id: 'SE-29',
    allow: ['getopts *', 'ls *'],
    command: 'getopts a: x -a ./evil; getopts e PATH -e; hash -p evil/ls ls; ls',
  },
  { id: 'SE-29', allow: ['mapfile *'], command: `mapfile -c 1 -C 'id > canary;:' x <<< y` },
  { id: 'SE-29', allow: ['readarray *'], command: `readarray -c 1 -C 'id > canary;:' x <<< y` },
  {
    id: 'SE-29',
    allow: ['sleep *', 'wait *'],
    command: `sleep 0 & wait -n -p 'a[$(id > canary)]'`,
  },
  { id: 'SE-29', allow: ['test *'], command: `test -v 'a[$(id > canary)]'` },
  { id: 'SE-29', allow: ['[ *'], command: `bash -c '[ "$0" "$1" ]' -v 'a[$(id > canary)]'` },
  { id: 'SE-29', allow: ['hash *', 'ls *'], command: 'hash -p ./evil/ls ls; ls' },
  { id: 'SE-30', allow: ['uniq *'], command: 'uniq payload canary' },
  { id: 'SE-30', allow: ['sed *'], command: `sed '1e id > canary' payload` },
  {
    id: 'SE-31',
    allow: ['npm test *'],
    command: `npm test --globalconfig=/dev/stdin <<< 'node-options=--import=${IMPORT}'`,
  },
  { id: 'SE-34', allow: ['make'], command: 'xargs -I x -n 2 make <<< SHELL=./evil/ls' },
  { id: 'SE-34', allow: ['sh input.sh', 'cat payload'], command: 'cat payload | sh input.sh' },
];

/** Their programs may be missing where the tests run. */
const ASKED_ABOUT: readonly Attack[] = [
  { id: 'SE-30', allow: ['tree *'], command: 'tree -R -H . -L 1' },
  { id: 'SE-30', allow: ['file *'], command: 'file -C -m payload' },
  { id: 'SE-32', allow: ['go build *'], command: 'go build -o canary' },
  { id: 'SE-32', allow: ['go build *'], command: 'go build -ldflags=-extld=./evil' },
  { id: 'SE-32', allow: ['go build *'], command: 'go build -overlay payload' },
];

describe('allow rules, with a real daemon', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let workspace: string;
  let secret: string;
  let agents = 0;
  const canary = () => join(workspace, 'canary');

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-rules-'));
    secret = `${workspace}-secret`;
    writeFileSync(secret, 'the-text-of-a-secret\n');
    mkdirSync(join(workspace, 'evil'));
    const evil = `#!/bin/sh\necho evil > canary\n`;
    for (const name of ['ls', 'go']) {
      writeFileSync(join(workspace, 'evil', name), evil);
      chmodSync(join(workspace, 'evil', name), 0o755);
    }
    const files = {
      payload: 'echo evil > canary\n',
      'input.sh': 'exec sh\n',
      'README.md': 'Read me.\n',
      Makefile: 'all:\n\t@true && true\n',
      'package.json': JSON.stringify({ scripts: { test: 'node -e 0' } }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text);
    spawnSync('git', ['init', '-q'], { cwd: workspace });
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    rmSync(workspace, { recursive: true, force: true });
    rmSync(secret, { force: true });
  });

  async function session(patterns: readonly string[]): Promise<string> {
    agents += 1;
    const agentId = `worker-${agents}`;
    const allow = patterns.map((pattern) => `Shell(${pattern})`);
    const body = {
      driver: { kind: 'script', script: SCRIPT },
      mode: 'ask',
      permissions: { allow },
    };
    const { status, text } = await owner.put(`/v1/agents/${agentId}`, body);
    expect(status, text).toBe(200);
    return openSession(owner, { agentId, workspace });
  }

  /** Ends when the run asks about its command, or is over. */
  async function submit(
    sessionId: string,
    text: string,
  ): Promise<Run & { readonly question?: Approval }> {
    const { json: item } = await owner.post<InboxItem>(`/v1/sessions/${sessionId}/inbox`, { text });
    return until('the run asks or ends', async () => {
      const { json: run } = await owner.get<Run>(`/v1/runs/${item.runId}`);
      if (isTerminalRunStatus(run.status)) return run;
      const pending = await owner.get<{ approvals: Approval[] }>('/v1/approvals?state=pending');
      const question = pending.json.approvals.find(({ runId }) => runId === run.runId);
      return question && { ...run, question };
    });
  }

  async function answer(approval: Approval, body: object): Promise<Run> {
    const { status, text } = await answerApproval(owner, approval, body);
    expect(status, text).toBe(200);
    return endedRun(owner, approval.runId);
  }

  it.each(titled(WITH_EFFECT))('%s asks, and nothing ran', async (_, attack) => {
    const sessionId = await session(attack.allow);
    const { question } = await submit(sessionId, attack.command);
    expect(question).toMatchObject({ tool: 'shell', input: { command: attack.command } });
    expect(existsSync(canary())).toBe(false);
    // It would have: that it asks is what keeps it from running.
    if (question) await answer(question, { decision: 'allow' });
    expect(existsSync(canary())).toBe(true);
    rmSync(canary());
  });

  it.each(titled(ASKED_ABOUT))('%s asks', async (_, attack) => {
    const { question } = await submit(await session(attack.allow), attack.command);
    expect(question).toMatchObject({ tool: 'shell', input: { command: attack.command } });
    if (question) await answer(question, { decision: 'deny' });
  });

  it('SE-30 a file that a rule for uniq does not name stays as it is', async () => {
    const { question } = await submit(await session(['uniq *']), 'uniq payload README.md');
    expect(question).toBeDefined();
    if (question) await answer(question, { decision: 'deny' });
    expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('Read me.\n');
  });

  it('SE-29 a builtin that sets a variable of any name asks, and harmless uses of the same rules run', async () => {
    const allow = ['sleep *', 'wait *', 'wait', 'readarray *', 'ls', 'printf *'];
    const sessionId = await session(allow);
    for (const command of ['sleep 0 & wait', 'printf hi']) {
      const run = await submit(sessionId, command);
      expect([command, run.question, run.status]).toEqual([command, undefined, 'completed']);
    }
    for (const command of ['sleep 0 & wait -n -p PATH; ls', 'readarray PATH <<< ./evil; ls']) {
      const { question } = await submit(sessionId, command);
      expect([command, question?.tool]).toEqual([command, 'shell']);
      if (question) await answer(question, { decision: 'deny' });
    }
  });

  it('SE-33 after "always" for a command, that command runs and no file outside is read', async () => {
    const sessionId = await session([]);
    const always = [
      'printf hi',
      'cat README.md',
      'uniq README.md',
      'tree',
      'file README.md',
      'cat',
    ];
    for (const command of always) {
      const { question } = await submit(sessionId, command);
      expect(question?.suggestedRule).toBe(`Shell(${command})`);
      if (question) await answer(question, { decision: 'allow', scope: 'session' });
    }
    const again = await submit(sessionId, 'cat README.md');
    expect(again).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(again.output)).toContain('Read me.');
    for (const command of [
      'cat ~/.ssh/id_rsa',
      `cat ${secret}`,
      `cat < ${secret}`,
      `cat README.md < ${secret}`,
      `uniq ${secret}`,
      `uniq README.md canary`,
      `file -f ${secret}`,
    ]) {
      const { question } = await submit(sessionId, command);
      expect({ command, asked: question !== undefined }).toEqual({ command, asked: true });
      if (question) {
        const run = await answer(question, { decision: 'deny' });
        expect(JSON.stringify(run)).not.toContain('the-text-of-a-secret');
      }
    }
    expect(existsSync(canary())).toBe(false);
  });
});
