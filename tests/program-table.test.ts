import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Approval, isTerminalRunStatus, type Run, type Stamped } from '@stoa/protocol';
import {
  answerApproval,
  approvalsOf,
  type Caller,
  callerOf,
  endedRun,
  FakeModel,
  fault,
  installProgram,
  McpHttpServer,
  type ModelRequest,
  openSession,
  PROGRAM_NAMES,
  type ProgramName,
  packageOf,
  processesOf,
  processesWith,
  say,
  sendSignal,
  startDaemon,
  submit,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DOCS = fileURLToPath(new URL('../docs/acp.md', import.meta.url));
/** With it the table in docs/acp.md is written, and not compared. */
const WRITES = process.env['STOA_WRITE_PROGRAM_TABLE'] === '1';
/** Runs only these programs; the table is not compared then. */
const ONLY = process.env['STOA_PROGRAMS']?.split(',');

const CAPABILITIES = [
  'tools on the first prompt',
  'own tools without approval',
  'plan keeps MCP tools from running',
  'asks before an MCP tool',
  'approval shows the command',
  'cancel ends the command',
  'model error is a failure',
  'nothing replayed',
] as const;
type Capability = (typeof CAPABILITIES)[number];

interface Setup {
  readonly url: string;
  readonly home: string;
  readonly key: string;
}

interface Driven {
  /** How it is made to use the fake model. */
  readonly driver: (setup: Setup) => object;
  /** Its tool that runs a command. */
  readonly shell: (command: string) => readonly [name: string, input: object];
}

const KEY = 'sk-of-the-program-table';

const DRIVEN: Readonly<Record<ProgramName, Driven>> = {
  qwen: {
    driver: ({ url, home, key }) => ({
      model: 'fake-model',
      env: { HOME: home, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key },
    }),
    shell: (command) => ['run_shell_command', { command, is_background: false }],
  },
  claude: {
    driver: ({ url, home, key }) => ({
      env: { HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
    }),
    shell: (command) => ['Bash', { command }],
  },
  codex: {
    driver: ({ url, home }) => {
      const codexHome = join(home, '.codex');
      mkdirSync(codexHome, { recursive: true });
      writeFileSync(
        join(codexHome, 'config.toml'),
        [
          'model = "fake-model"',
          'model_provider = "fake"',
          '[model_providers.fake]',
          'name = "fake"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          'env_key = "FAKE_KEY"',
          'request_max_retries = 0',
          'stream_max_retries = 0',
        ].join('\n'),
      );
      return { env: { HOME: home, CODEX_HOME: codexHome, FAKE_KEY: KEY } };
    },
    // Without this it runs the command in its own sandbox and asks nobody.
    shell: (cmd) => [
      'exec_command',
      { cmd, sandbox_permissions: 'require_escalated', justification: 'May it sleep?' },
    ],
  },
  opencode: {
    driver: ({ url, home, key }) => {
      const directory = join(home, '.config', 'opencode');
      mkdirSync(directory, { recursive: true });
      const provider = {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          name: 'fake',
          options: { baseURL: `${url}/v1`, apiKey: key },
          models: { 'fake-model': { name: 'fake-model' } },
        },
      };
      const config = { provider, model: 'fake/fake-model', autoupdate: false, share: 'disabled' };
      writeFileSync(join(directory, 'opencode.json'), JSON.stringify(config));
      return { env: { HOME: home, OPENCODE_DISABLE_AUTOUPDATE: '1' } };
    },
    shell: (command) => ['bash', { command, description: 'Sleeps' }],
  },
  gemini: {
    driver: ({ url, home, key }) => ({
      model: 'fake-model',
      env: { HOME: home, GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key },
    }),
    shell: (command) => ['run_shell_command', { command }],
  },
};

const table = new Map<ProgramName, Map<Capability, string>>();

describe('real agent programs', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let mcp: McpHttpServer;
  let directory: string;

  beforeAll(async () => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-programs-')));
    mcp = new McpHttpServer();
    await mcp.start();
    daemon = await startDaemon();
    owner = callerOf(daemon.url, daemon.token);
  });
  afterAll(async () => {
    await daemon.cleanUp();
    await mcp.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const programs = PROGRAM_NAMES.filter((name) => ONLY?.includes(name) ?? true);

  it.each(programs)('AC-7 AC-10 AC-11 AC-15 AC-16 %s', { timeout: 300_000 }, async (name) => {
    const program = await installProgram(name);
    const rows = new Map<Capability, string>();
    table.set(name, rows);
    if (!program.command) {
      for (const capability of CAPABILITIES) rows.set(capability, 'not installed');
      return;
    }
    const [home, workspace] = [join(directory, `${name}-home`), join(directory, name)];
    for (const made of [home, workspace]) mkdirSync(made);
    const model = await FakeModel.start();
    const mark = `program-table-${name}-${String(process.pid)}`;
    try {
      const { driver, shell } = DRIVEN[name];
      const { env, ...more } = driver({ url: model.url, home, key: KEY }) as { env: object };
      const put = await owner.put(`/v1/agents/${name}`, {
        driver: {
          kind: 'acp',
          preset: name,
          command: program.command,
          ...more,
          env: { ...env, TEST_MARK: mark },
        },
        mcpServers: { hello: { url: mcp.url } },
      });
      expect(put.status, put.text).toBe(200);
      const marker = `47${String(process.pid)}`;
      model.script((request) => answer(request, shell(`touch begun.txt && sleep ${marker}`)));
      const bench = new Bench(owner, name, workspace);
      await rowsOf(bench, model, rows, mark, marker);
    } finally {
      await model.close();
    }
    console.log(`${name}: ${JSON.stringify(Object.fromEntries(rows), null, 1)}`);
    expect(brokenPromises(name, rows)).toEqual([]);
  });

  it('AC-11 a row that is not "yes" names its program', () => {
    const rows = new Map(CAPABILITIES.map((capability) => [capability, 'yes']));
    expect(brokenPromises('codex', rows)).toEqual([]);
    rows.set('cancel ends the command', 'no: timed out');
    rows.delete('nothing replayed');
    expect(brokenPromises('codex', rows)).toEqual([
      `${packageOf('codex')}: cancel ends the command: no: timed out`,
      `${packageOf('codex')}: nothing replayed: not seen`,
    ]);
  });

  it('AC-11 docs/acp.md shows what was seen', ({ skip }) => {
    if (ONLY) return skip('only some of the programs were run');
    const text = readFileSync(DOCS, 'utf8');
    const [begin, end] = ['<!-- programs: begin -->', '<!-- programs: end -->'];
    const from = text.indexOf(begin) + begin.length;
    const to = text.indexOf(end);
    expect(to).toBeGreaterThan(from);
    const seen = `\n\n${tableText()}\n\n`;
    if (WRITES) writeFileSync(DOCS, `${text.slice(0, from)}${seen}${text.slice(to)}`);
    else expect(text.slice(from, to)).toBe(seen);
  });
});

/** What the model says. The last of what it is asked names the case. */
function answer(request: ModelRequest, [shell, input]: readonly [string, object]) {
  const { lastUserText, toolResults, tools } = request;
  const [, wanted] = [...lastUserText.matchAll(/CASE-(\w+)/g)].at(-1) ?? [];
  const named = (pattern: RegExp) => tools.find((tool) => pattern.test(tool));
  if (toolResults.length > 0) return say(`After the tool: ${toolResults.at(-1)?.text ?? ''}`);
  const own = named(/stoa[0-9a-f]{16}.*emit_output/);
  const greet = named(/hello.*greet/);
  switch (wanted) {
    case 'emit':
      return own ? useTools([toolCall(own, { content: 'written with a tool' })]) : say('no tool');
    case 'mcp':
      return greet ? useTools([toolCall(greet, { name: 'Ada' })]) : say('no tool');
    case 'shell':
      return tools.length > 0 ? useTools([toolCall(shell, { ...input })]) : say('no tool');
    case 'error':
      return fault.status(401);
    case 'one':
      return say('the first answer');
    case 'two':
      return say('the second answer');
    default:
      return say('A title');
  }
}

async function rowsOf(
  bench: Bench,
  model: FakeModel,
  rows: Map<Capability, string>,
  mark: string,
  marker: string,
): Promise<void> {
  const row = async (capability: Capability, look: () => Promise<string | undefined>) => {
    try {
      rows.set(capability, (await look()) ?? 'yes');
    } catch (error) {
      rows.set(capability, `no: ${(error as Error).message.split('\n')[0] ?? ''}`.slice(0, 120));
    }
  };
  const planning = await bench.open('plan');
  let emitted: Run | undefined;
  await row('tools on the first prompt', async () => {
    emitted = await bench.ask(planning, 'CASE-emit');
    // Some also ask the model for a title, without any tools.
    const first = model.requests.find(
      ({ lastUserText, tools }) => lastUserText.includes('CASE-emit') && tools.length > 0,
    );
    return first?.tools.some((tool) => /stoa[0-9a-f]{16}.*emit_output/.test(tool))
      ? undefined
      : 'no';
  });
  await row('own tools without approval', async () => {
    const [item] = emitted?.output ?? [];
    const isWritten = item?.type === 'text' && item.text === 'written with a tool';
    const asked = await bench.approvals(planning);
    return isWritten && asked.length === 0 ? undefined : `no: ${textOf(emitted)}`;
  });
  await row('plan keeps MCP tools from running', async () => {
    const run = await bench.ask(planning, 'CASE-mcp');
    return textOf(run).includes('Hello Ada') ? 'no' : undefined;
  });
  const asking = await bench.open('ask');
  await row('asks before an MCP tool', async () => {
    const runId = await bench.submit(asking, 'CASE-mcp');
    const approval = await bench.asked(asking, runId);
    if (!approval) return `no: ${textOf(await bench.ended(runId))}`;
    await bench.decide(approval, 'deny');
    const run = await bench.ended(runId);
    return textOf(run).includes('Hello Ada') ? 'no' : undefined;
  });
  const running = await bench.open('ask');
  let runId = '';
  await row('approval shows the command', async () => {
    runId = await bench.submit(running, 'CASE-shell');
    const approval = await bench.asked(running, runId);
    if (!approval) return `no: ${textOf(await bench.ended(runId))}`;
    const shown = JSON.stringify([approval.input, approval.detail]).includes(`sleep ${marker}`);
    await bench.decide(approval, 'allow');
    return shown ? undefined : 'no';
  });
  await row('cancel ends the command', async () => {
    await until('the command runs', () => sleeping(marker).length > 0, { timeoutMs: 20_000 });
    await bench.cancel(runId);
    const gone = () => sleeping(marker).length === 0;
    await until('the command is dead', gone, { timeoutMs: 5_000 });
    return undefined;
  });
  await row('model error is a failure', async () => {
    const run = await bench.ask(await bench.open('ask'), 'CASE-error');
    if (run.status !== 'failed') return `no: ${textOf(run)}`;
    const { message = '' } = run.failure ?? {};
    return /401|auth|key|log ?in/i.test(message) ? undefined : `no words: ${message}`;
  });
  await row('nothing replayed', async () => {
    const again = await bench.open('ask');
    await bench.ask(again, 'CASE-one');
    const before = processesWith(mark);
    for (const pid of before) if (processesWith(mark).includes(pid)) sendSignal(pid, 'SIGKILL');
    await until('it is gone', () => processesWith(mark).every((pid) => !before.includes(pid)));
    const run = await bench.ask(again, 'CASE-two');
    const written = (await bench.journal(again)).filter(({ type }) => type === 'model_message');
    const texts = written.map(({ data }) => JSON.stringify(data)).join('\n');
    const isOnce = texts.split('the first answer').length === 2;
    const answered = textOf(run);
    const isAnswer = answered.endsWith('the second answer') && !answered.includes('first answer');
    return isAnswer && isOnce ? undefined : `no: ${answered}`;
  });
}

/** What Stoa promises of every program in the table, and this one does not do. */
function brokenPromises(name: ProgramName, rows: ReadonlyMap<Capability, string>): string[] {
  return CAPABILITIES.flatMap((capability) => {
    const seen = rows.get(capability) ?? 'not seen';
    return seen === 'yes' ? [] : [`${packageOf(name)}: ${capability}: ${seen}`];
  });
}

const textOf = (run: Run | undefined): string =>
  run?.failure?.message ??
  run?.output?.map((item) => (item.type === 'text' ? item.text : '')).join('') ??
  '';

/** Living processes that sleep for this test. */
const sleeping = (marker: string): number[] => processesOf('sleep', marker);

class Bench {
  constructor(
    private readonly owner: Caller,
    private readonly agentId: string,
    private readonly workspace: string,
  ) {}

  open(mode: string): Promise<string> {
    const { agentId, workspace } = this;
    return openSession(this.owner, { agentId, workspace, mode });
  }

  async submit(sessionId: string, text: string): Promise<string> {
    return (await submit(this.owner, sessionId, text)).runId;
  }

  async run(runId: string): Promise<Run> {
    return (await this.owner.get<Run>(`/v1/runs/${runId}`)).json;
  }

  ended(runId: string): Promise<Run> {
    return endedRun(this.owner, runId);
  }

  async ask(sessionId: string, text: string): Promise<Run> {
    return this.ended(await this.submit(sessionId, text));
  }

  approvals(sessionId: string): Promise<Approval[]> {
    return approvalsOf(this.owner, sessionId);
  }

  /** Undefined when the run ends without asking. */
  async asked(sessionId: string, runId: string): Promise<Approval | undefined> {
    const found = await until(
      'it asks, or ends',
      async () => {
        const all = await this.approvals(sessionId);
        const approval = all.find(({ state }) => state === 'pending');
        if (approval) return { approval };
        const { status: how } = await this.run(runId);
        return isTerminalRunStatus(how) ? {} : undefined;
      },
      { timeoutMs: 60_000 },
    );
    return 'approval' in found ? found.approval : undefined;
  }

  async decide(approval: Approval, decision: 'allow' | 'deny'): Promise<void> {
    await answerApproval(this.owner, approval, { decision });
  }

  async cancel(runId: string): Promise<void> {
    await this.owner.post(`/v1/runs/${runId}/cancel`);
  }

  async journal(sessionId: string): Promise<Stamped[]> {
    const path = `/v1/sessions/${sessionId}/journal?limit=200`;
    return (await this.owner.get<{ entries: Stamped[] }>(path)).json.entries;
  }
}

function tableText(): string {
  const names = [...table.keys()];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...names.map((name) => packageOf(name))]),
    line(['---', ...names.map(() => '---')]),
    ...CAPABILITIES.map((capability) =>
      line([capability, ...names.map((name) => table.get(name)?.get(capability) ?? '')]),
    ),
  ].join('\n');
}
