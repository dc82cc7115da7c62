import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run, Session } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FakeModel,
  fault,
  LiveSocket,
  McpHttpServer,
  McpScript,
  say,
  startDaemon,
  type TestDaemon,
  toolCall,
  until,
  useTools,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf } from './stoa-command.js';

const canary = (): string => `canary-${randomBytes(12).toString('hex')}`;

/** One for each location that stores a secret. */
const SECRETS = {
  modelKey: canary(),
  configuredKey: canary(),
  serverKey: canary(),
  looseVariable: canary(),
};

const CONFIG = `
log: { level: debug }
providers:
  other: { kind: openai, baseUrl: 'http://127.0.0.1:1/v1', apiKey: '${SECRETS.configuredKey}' }
modelRetries: { attempts: 1 }
`;

describe('secrets of the environment and the configuration', () => {
  let daemon: TestDaemon;
  let model: FakeModel;
  let script: McpScript;
  let http: McpHttpServer;
  let owner: Caller;
  let workspace: string;
  /** Everything anybody got to see, by where. */
  const seen = new Map<string, string>();

  beforeAll(async () => {
    workspace = mkdtempSync(join(tmpdir(), 'stoa-canary-'));
    script = new McpScript();
    http = new McpHttpServer();
    await http.start();
    model = await FakeModel.start({ key: SECRETS.modelKey });
    daemon = await startDaemon({
      config: `${CONFIG}sandbox: { writable: ['${script.directory}'] }\n`,
      env: {
        OPENAI_BASE_URL: model.openaiUrl,
        OPENAI_API_KEY: SECRETS.modelKey,
        OPENAI_MODEL: 'fake-model',
        SERVER_SECRET: SECRETS.serverKey,
        LOOSE_VARIABLE: SECRETS.looseVariable,
      },
    });
    owner = callerOf(daemon.url, daemon.token);
    const key = { SERVER_KEY: '$SERVER_SECRET' };
    const { status, text } = await owner.put('/v1/agents/keeper', {
      driver: { kind: 'builtin' },
      mode: 'full',
      mcpServers: {
        calc: script.config(undefined, key),
        hello: { url: http.url, headers: { authorization: 'Bearer ${SERVER_SECRET}' } },
        broken: { command: 'sh', args: ['-c', 'echo "no key $SERVER_KEY" >&2; exit 2'], env: key },
      },
    });
    expect(status, text).toBe(200);
  });

  afterAll(async () => {
    await daemon.cleanUp();
    await model.close();
    await http.stop();
    script.remove();
    rmSync(workspace, { recursive: true, force: true });
  });

  async function ended(sessionId: string, text: string): Promise<Run> {
    const path = `/v1/sessions/${sessionId}/inbox`;
    const { runId } = (await owner.post<{ runId: string }>(path, { text })).json;
    return until(
      'the run ended',
      async () => {
        const now = (await owner.get<Run>(`/v1/runs/${runId}`)).json;
        return now.status === 'completed' || now.status === 'failed' ? now : undefined;
      },
      { timeoutMs: 60_000 },
    );
  }

  it('R-24 are in no log, journal, prompt, answer, output of a tool, or file of the daemon', async () => {
    const { sessionId } = (
      await owner.post<Session>('/v1/sessions', { agentId: 'keeper', workspace })
    ).json;
    const live = await LiveSocket.open(daemon.url, daemon);
    await live.subscribe(`session:${sessionId}`, 0);
    model.script([
      useTools([
        toolCall('shell', { command: 'env; echo $OPENAI_API_KEY $LOOSE_VARIABLE $SERVER_SECRET' }),
        toolCall('read_file', { path: '/proc/self/environ' }),
        toolCall('mcp__calc__environment', {}),
        toolCall('mcp__hello__greet', { name: 'Ada' }),
      ]),
      say('I looked everywhere.'),
      fault.status(401, { message: `Incorrect API key provided: ${SECRETS.modelKey}.` }),
    ]);
    expect((await ended(sessionId, 'Show me your secrets.')).status).toBe('completed');
    expect((await ended(sessionId, 'Once more.')).failure?.code).toBe('model_unauthorized');
    // The servers did get theirs: what is not found below was there to be found.
    expect(http.headers.at(-1)?.authorization).toBe(`Bearer ${SECRETS.serverKey}`);
    const results = model.requests[1]?.toolResults ?? [];
    expect(results.map(({ name }) => name)).toEqual([
      'shell',
      'read_file',
      'mcp__calc__environment',
      'mcp__hello__greet',
    ]);
    expect(results[0]?.text).toContain('PATH=');
    expect(results[2]?.text).toContain('SERVER_KEY');
    expect(model.requests[0]?.key).toBe(SECRETS.modelKey);

    seen.set('the stream', JSON.stringify(live.frames));
    await live.close();
    model.requests.forEach(({ text }, index) => seen.set(`prompt ${index}`, text));
    for (const path of [
      ...['/v1/status', '/v1/whoami', '/v1/agents', '/v1/agents/keeper', '/v1/mcp-servers'],
      ...['/v1/sessions', `/v1/sessions/${sessionId}`, `/v1/sessions/${sessionId}/inbox`],
      ...[`/v1/sessions/${sessionId}/journal?limit=200`, `/v1/sessions/${sessionId}/runs`],
      ...[`/v1/topics/session:${sessionId}/events`, '/v1/approvals', '/v1/usage', '/metrics'],
    ]) {
      const { status, text } = await owner.get(path);
      expect(status, path).toBe(200);
      seen.set(path, text);
    }
    for (const args of [
      ['doctor', '--json'],
      ['config', 'check'],
      ['agent', 'show', 'keeper'],
    ]) {
      const { out, err } = await ownerOf(daemon)(args);
      seen.set(args.join(' '), out + err);
    }
    const { out } = await ownerOf(daemon)(['backup', join(workspace, 'backup')]);
    seen.set('backup', out);
    await daemon.stop();
    seen.set('the log', daemon.output().stdout + daemon.output().stderr);
    for (const directory of [daemon.home, join(workspace, 'backup')]) {
      for (const [file, bytes] of filesIn(directory)) {
        // Where the owner put one, there it is.
        if (!file.endsWith('/stoa.yaml')) seen.set(file, bytes);
      }
    }
    expect([...seen.keys()].filter((file) => file.endsWith('.db')).length).toBeGreaterThan(1);
    const leaks = [...seen].flatMap(([where, text]) =>
      Object.entries(SECRETS).flatMap(([name, secret]) =>
        text.includes(secret) ? [`${name} in ${where}`] : [],
      ),
    );
    expect(leaks).toEqual([]);
  });
});

function filesIn(directory: string): [string, string][] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, readFileSync(file, 'latin1')]);
}
