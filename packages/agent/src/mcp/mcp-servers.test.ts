import { decide, type RunContext } from '@stoa/core';
import type { AgentDefinition, McpServerConfig, PermissionMode } from '@stoa/protocol';
import {
  AgentSession,
  McpHttpServer,
  McpScript,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  until,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProcesses, startTimeOf } from '../tools/shell/process-tree.js';
import { Sandbox } from '../tools/shell/sandbox.js';
import { ToolRunner } from '../tools/tool-runner.js';
import { McpServers, type McpServersOptions } from './mcp-servers.js';

const QUICK = { connectMs: 10_000, firstBackoffMs: 20, maxBackoffMs: 100 };

let world: RuntimeWorld;
let daemon: RuntimeDaemon;
let script: McpScript;
let servers: McpServers;
let opened: McpServers[];
let https: McpHttpServer[];
let diagnoses: { message: string; details: unknown }[];

beforeEach(async () => {
  script = new McpScript();
  const [engine] = STORE_ENGINES;
  if (!engine) throw new Error('there is no engine');
  world = await RuntimeWorld.open(engine);
  const resolve = (): Promise<string> => Promise.resolve(script.directory);
  const instructions = (): Promise<undefined> => Promise.resolve(undefined);
  daemon = await world.start({
    workspaces: { resolve, instructions, isShared: () => true, isSelfApproved: () => true },
  });
  opened = [];
  https = [];
  diagnoses = [];
  servers = open();
});
afterEach(async () => {
  for (const each of opened) await each.close();
  for (const each of https) await each.stop();
  await daemon.core.runner.stop();
  await world.discard();
  script.remove();
});

function open(changes: Partial<McpServersOptions> = {}): McpServers {
  const made = new McpServers({
    sandbox: new Sandbox({ home: '/nonexistent', bubblewrap: null }),
    environment: { ...process.env, MY_SECRET: 'xyzzy', OPENAI_API_KEY: 'not for you' },
    version: '0.0.0',
    diagnose: (message, details) => diagnoses.push({ message, details }),
    ...changes,
    times: { ...QUICK, ...changes.times },
  });
  opened.push(made);
  return made;
}

async function httpServer(legacy?: 'stateless' | 'reject'): Promise<McpHttpServer> {
  const server = new McpHttpServer(legacy);
  https.push(server);
  await server.start();
  return server;
}

/** A run of an agent with these servers, which the test controls. */
async function runWith(
  mcpServers: Record<string, McpServerConfig>,
  more: Partial<AgentDefinition> & { mode?: PermissionMode } = {},
): Promise<RunContext> {
  const definition = {
    driver: { kind: 'script' as const },
    mode: 'full' as const,
    instructions: '',
  };
  await daemon.core.agents.put(OWNER, 'worker', { ...definition, ...more, mcpServers });
  const session = await AgentSession.open(daemon, 'worker');
  const count = daemon.driver.runs.length;
  await session.submit('go');
  return (await daemon.driver.nth(count + 1)).context;
}

const runnerOf = (more = servers): ToolRunner =>
  new ToolRunner({
    tools: [],
    moreTools: (run) => more.toolsFor(run),
    decide,
    home: '/nonexistent',
    now: () => performance.now(),
    diagnose: (message, details) => diagnoses.push({ message, details }),
  });

let calls = 0;
const use = (run: RunContext, tool: string, input: unknown = {}, runner = runnerOf()) =>
  runner.call({ run, callId: `call_${String((calls += 1))}`, tool, input });

const notesOf = async ({ session: { sessionId } }: RunContext): Promise<string[]> => {
  const { entries } = await daemon.core.runs.journal(OWNER, sessionId, {
    after: 0,
    limit: 200,
  });
  return entries.flatMap((entry) => (entry.type === 'note' ? [entry.data.text] : []));
};

const isAlive = (pid: number): boolean => startTimeOf(pid) !== undefined;

describe('MCP servers of an agent', () => {
  it('R-35 over stdio: their tools work like any other', async () => {
    const run = await runWith({ calc: script.config() });
    const described = await runnerOf().describe(run);
    const names = described.map(({ name }) => name);
    expect(names).toContain('mcp__calc__add');
    expect(described.find(({ name }) => name === 'mcp__calc__add')).toMatchObject({
      description: 'add it',
      inputSchema: { type: 'object', required: ['a', 'b'] },
    });
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const added = await use(run, 'mcp__calc__add', { a: 2, b: 40 });
    expect(added).toMatchObject({ outcome: 'ok', output: '42' });
    expect(added.forModel).toMatch(/^<untrusted source="tool mcp__calc__add"/);
    const dotted = names.find((name) => name.startsWith('mcp__calc__dotted_name_')) ?? '';
    expect(await use(run, dotted)).toMatchObject({ output: 'dotted' });
    expect(servers.health()).toMatchObject([{ agentId: 'worker', name: 'calc', state: 'online' }]);
  });

  it('R-35 over HTTP: their tools work, and they get the configured headers', async () => {
    const server = await httpServer();
    const headers = { authorization: 'Bearer $MY_SECRET', price: '$$5' };
    const run = await runWith({ hello: { url: server.url, headers } });
    const greeted = await use(run, 'mcp__hello__greet', { name: 'Ada' });
    expect(greeted).toMatchObject({ outcome: 'ok', output: 'Hello Ada' });
    for (const sent of server.headers) {
      expect(sent).toMatchObject({ authorization: 'Bearer xyzzy', price: '$5' });
    }
  });

  it('R-35 work if they speak only the newest protocol revision', async () => {
    const server = await httpServer('reject');
    const run = await runWith({ hello: { url: server.url } });
    expect(await use(run, 'mcp__hello__greet', { name: 'Ada' })).toMatchObject({
      outcome: 'ok',
      output: 'Hello Ada',
    });
  });

  it('R-24 no message about a server contains the values that it received', async () => {
    const env = { API_KEY: 'canary-env', OTHER: 'canary-too' };
    const says = 'printf "bad key %s" "$API_KEY" >&2; sleep 0.1; echo " nor $OTHER" >&2; exit 2';
    const run = await runWith({
      loud: { command: '/bin/sh', args: ['-c', says], env },
      web: { url: 'http://me:canary-pw@127.0.0.1:1/?key=canary-query' },
    });
    expect(await servers.toolsFor(run)).toEqual([]);
    const notes = await daemon.core.runs.journal(OWNER, run.session.sessionId, {
      after: 0,
      limit: 100,
    });
    const health = servers.health();
    expect(health).toHaveLength(2);
    const messages = JSON.stringify([health, diagnoses, notes]);
    expect(messages).toContain('bad key [secret] nor [secret]');
    expect(messages).not.toContain('canary');
  });

  it('R-35 an offline server is shown with the reason, and the agent works without it', async () => {
    const gone = await httpServer();
    const { url } = gone;
    await gone.stop();
    const run = await runWith({
      calc: script.config(),
      broken: script.config('broken'),
      missing: { command: '/nonexistent/program' },
      gone: { url },
      unset: { url, headers: { authorization: '$NO_SUCH_VARIABLE' } },
    });
    const names = (await runnerOf().describe(run)).map(({ name }) => name);
    expect(new Set(names.map((name) => name.split('__')[1]))).toEqual(new Set(['calc']));
    expect(await use(run, 'mcp__calc__add', { a: 1, b: 1 })).toMatchObject({ output: '2' });
    const notes = (await notesOf(run)).sort();
    expect(notes).toHaveLength(4);
    expect(notes[0]).toBe(
      'The MCP server broken is offline: it exited with 2: no configuration was found. Its tools are missing in this run.',
    );
    expect(notes[1]).toContain('ECONNREFUSED');
    expect(notes[2]).toMatch(/\/nonexistent\/program.*No such file or directory/);
    expect(notes[3]).toContain('the variable NO_SUCH_VARIABLE is not set');
    const reasons = new Map(
      servers.health().map(({ name, state, reason }) => [name, { state, reason }]),
    );
    expect(reasons.get('calc')).toEqual({ state: 'online', reason: undefined });
    // It may be connecting again at the moment.
    await until('it is shown as offline', () => {
      const broken = servers.health().find(({ name }) => name === 'broken');
      return broken?.state === 'offline' && broken.reason?.includes('no configuration was found');
    });
    expect(diagnoses).toContainEqual({
      message: 'an MCP server is offline',
      details: {
        agentId: 'worker',
        server: 'broken',
        reason: 'it exited with 2: no configuration was found',
      },
    });
  });

  it('R-35 a silent server does not delay the run for long', async () => {
    servers = open({ times: { connectMs: 200 } });
    const run = await runWith({ mute: script.config('mute') });
    expect(await runnerOf().describe(run)).toEqual([]);
    expect(await notesOf(run)).toEqual([
      'The MCP server mute is offline: it did not answer in time. Its tools are missing in this run.',
    ]);
  });

  it('R-35 a crashed server is started again, and no call is repeated', async () => {
    const run = await runWith({ calc: script.config() });
    const crashed = await use(run, 'mcp__calc__crash');
    expect(crashed.outcome).toBe('error');
    expect(crashed.output).toContain('whether the call happened is unknown');
    await until('it is back', () => servers.health()[0]?.state === 'online');
    expect(await use(run, 'mcp__calc__add', { a: 1, b: 2 })).toMatchObject({ output: '3' });
    expect(diagnoses.filter(({ message }) => message === 'an MCP server is offline')).toHaveLength(
      1,
    );
  });

  it('R-35 an HTTP server is used again when it is back', async () => {
    const server = await httpServer();
    const run = await runWith({ hello: { url: server.url } });
    expect(await use(run, 'mcp__hello__greet', { name: 'Ada' })).toMatchObject({ outcome: 'ok' });
    await server.stop();
    const failed = await use(run, 'mcp__hello__greet', { name: 'Ada' });
    expect(failed).toMatchObject({ outcome: 'error' });
    const meanwhile = await use(run, 'mcp__hello__greet', { name: 'Ada' });
    expect(meanwhile.output).toMatch(/offline|failed unexpectedly/);
    await server.start();
    await until('it is back', () => servers.health()[0]?.state === 'online');
    expect(await use(run, 'mcp__hello__greet', { name: 'Eve' })).toMatchObject({
      output: 'Hello Eve',
    });
  });

  it('need permission by server and tool, with the exact arguments', async () => {
    const run = await runWith({ calc: script.config() }, { mode: 'ask' });
    const { sessionId } = run.session;
    const asked = use(run, 'mcp__calc__add', { a: 1, b: 2 });
    const approval = await until('it is asked', async () => {
      const { approvals } = await daemon.core.approvals.list(OWNER, { state: 'pending', limit: 5 });
      return approvals[0];
    });
    expect(approval).toMatchObject({
      sessionId,
      tool: 'mcp__calc__add',
      title: 'calc: add {"a":1,"b":2}',
      input: { a: 1, b: 2 },
      suggestedRule: 'Mcp(calc:add)',
    });
    await daemon.core.approvals.answer(OWNER, approval.approvalId, {
      decision: 'allow',
      updatedInput: { a: 1, b: 5 },
      scope: 'once',
      inputHash: approval.inputHash,
    });
    expect(await asked).toMatchObject({ outcome: 'ok', output: '6' });
  });

  it('are denied and allowed by rules, like any tool', async () => {
    const permissions = { deny: ['Mcp(calc:fail)'], allow: ['Mcp(calc:*)'] };
    const run = await runWith({ calc: script.config() }, { mode: 'ask', permissions });
    expect(await use(run, 'mcp__calc__fail')).toMatchObject({ outcome: 'denied' });
    expect(await use(run, 'mcp__calc__add', { a: 1, b: 2 })).toMatchObject({ outcome: 'ok' });
  });

  it('get no calls that do not match their schema', async () => {
    const run = await runWith({ calc: script.config() });
    const unfit = await use(run, 'mcp__calc__add', { a: 'one' });
    expect(unfit).toMatchObject({ outcome: 'error' });
    expect(unfit.output).toContain('The arguments of mcp__calc__add do not fit');
    expect(await use(run, 'mcp__calc__environment', undefined)).toMatchObject({ outcome: 'ok' });
  });

  it('report errors, and their output is shortened for the model', async () => {
    const run = await runWith({ calc: script.config() });
    expect(await use(run, 'mcp__calc__fail')).toMatchObject({
      outcome: 'error',
      output: 'that did not work',
    });
    const flood = await use(run, 'mcp__calc__flood');
    expect(flood.output.length).toBeLessThanOrEqual(30_000);
    expect(flood.output).toContain('characters left out');
  });

  it('get the usual and the configured variables, and no keys', async () => {
    const run = await runWith({
      calc: script.config(undefined, { TOKEN: '$MY_SECRET', PLAIN: 'as it is' }),
    });
    const { output } = await use(run, 'mcp__calc__environment');
    const { env, cwd } = JSON.parse(output) as { env: Record<string, string>; cwd: string };
    expect(env).toMatchObject({ TOKEN: 'xyzzy', PLAIN: 'as it is', PATH: process.env.PATH });
    expect(env).not.toHaveProperty('OPENAI_API_KEY');
    expect(env).not.toHaveProperty('MY_SECRET');
    expect(cwd).toBe(script.directory);
  });

  it('are started by the command of the sandbox', async () => {
    const wrapped: string[][] = [];
    servers = open({
      sandbox: {
        launch: (argv, { environment, workspace }) => {
          wrapped.push([...argv]);
          expect(workspace).toBe(script.directory);
          return Promise.resolve({
            kind: 'none',
            processes: 'shared',
            argv: ['/usr/bin/env', 'WRAPPED=yes', ...argv],
            environment,
            variables: {},
          });
        },
      },
    });
    const config = script.config();
    const run = await runWith({ calc: config });
    const { output } = await use(run, 'mcp__calc__environment');
    expect(wrapped).toEqual([[config.command, ...config.args]]);
    expect(output).toContain('"WRAPPED":"yes"');
  });

  it('end with all their processes, also if they ignore signals', async () => {
    const run = await runWith({ deaf: script.config('deaf') });
    const started = Number((await use(run, 'mcp__deaf__start')).output);
    const { output } = await use(run, 'mcp__deaf__environment');
    const { pid } = JSON.parse(output) as { pid: number };
    expect(isAlive(pid)).toBe(true);
    expect(isAlive(started)).toBe(true);
    const group = await findProcesses({ leader: pid, marker: 'no mark' });
    expect(group?.map((found) => found.pid)).toEqual([pid]);
    await servers.close();
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(started)).toBe(false);
  });

  it('end after a while without use, and start again with the next use', async () => {
    servers = open({ times: { idleMs: 50 } });
    const config = script.config();
    const run = await runWith({ calc: config });
    const pidOf = async (): Promise<number> =>
      (JSON.parse((await use(run, 'mcp__calc__environment')).output) as { pid: number }).pid;
    const first = await pidOf();
    await until('it has ended', () => !isAlive(first));
    expect(servers.health()).toMatchObject([{ name: 'calc', state: 'idle' }]);
    expect(await pidOf()).not.toBe(first);
  });

  it('are shared by the sessions of one agent and person', async () => {
    const pidOf = async (run: RunContext): Promise<number> =>
      (JSON.parse((await use(run, 'mcp__calc__environment')).output) as { pid: number }).pid;
    const config = { calc: script.config() };
    const first = await pidOf(await runWith(config));
    const run = await runWith(config);
    expect(await pidOf(run)).toBe(first);
    const stranger = { ...run, session: { ...run.session, responsibleId: 'human:eve' } };
    expect(await pidOf(stranger)).not.toBe(first);
  });

  it('delay neither the cancellation of a run nor the end of the daemon', async () => {
    const run = await runWith({ mute: script.config('mute') });
    const waiting = runnerOf().describe(run);
    await until('it is being connected', () => servers.health()[0]?.state === 'connecting');
    await daemon.core.runs.cancel(OWNER, run.runId);
    await expect(waiting).rejects.toMatchObject({ code: 'run_ended' });
    const began = performance.now();
    await servers.close();
    expect(performance.now() - began).toBeLessThan(QUICK.connectMs / 2);
    expect(diagnoses).toEqual([]);
  });

  it('cancel a call when the run is cancelled', async () => {
    const run = await runWith({ calc: script.config() });
    const hanging = use(run, 'mcp__calc__hang');
    await until('the call is under way', async () => {
      const { entries } = await daemon.core.runs.journal(OWNER, run.session.sessionId, {
        after: 0,
        limit: 200,
      });
      return entries.some(({ type }) => type === 'tool_call');
    });
    await daemon.core.runs.cancel(OWNER, run.runId);
    await expect(hanging).rejects.toMatchObject({ code: 'run_ended' });
    expect(servers.health()).toMatchObject([{ state: 'online' }]);
  });
});
