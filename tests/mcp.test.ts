import { readdirSync, readFileSync } from 'node:fs';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import {
  askSession,
  type Caller,
  call,
  callerOf,
  McpHttpServer,
  McpScript,
  newPerson,
  openSession,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

interface Health {
  readonly servers: readonly {
    readonly agentId: string;
    readonly name: string;
    readonly state: string;
    readonly reason?: string;
    readonly tools: readonly string[];
  }[];
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function connect(daemon: TestDaemon, token: string): Promise<Client> {
  const client = new Client({ name: 'a stock client', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL('/mcp', daemon.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

describe('the MCP endpoint of a daemon', () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startDaemon();
  });
  afterAll(async () => {
    await daemon.cleanUp();
  });

  it('R-34 a person posts and reads with a stock client, as themselves', async () => {
    const owner = callerOf(daemon.url, daemon.token);
    await owner.post('/v1/channels', { channelId: 'lobby', title: 'The lobby' });
    const ada = await newPerson(daemon, 'ada');
    const client = await connect(daemon, ada.token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('post_message');
    const stranger = await client.callTool({
      name: 'post_message',
      arguments: { channelId: 'lobby', text: 'hello' },
    });
    expect(stranger).toMatchObject({ isError: true, structuredContent: { code: 'not_member' } });
    await ada.post('/v1/channels/lobby/members', {});
    await client.callTool({
      name: 'post_message',
      arguments: { channelId: 'lobby', text: 'hello from afar' },
    });
    const read = await client.callTool({
      name: 'read_channel',
      arguments: { channelId: 'lobby' },
    });
    expect(textOf(read)).toMatch(/ada \(human:ada\): hello from afar/);
    const found = await until('it can be found', async () => {
      const hits = await client.callTool({
        name: 'search_messages',
        arguments: { query: 'afar' },
      });
      return textOf(hits).includes('hello from afar') && hits;
    });
    expect(found).not.toHaveProperty('isError');
    await client.close();
  });

  it('R-34 turns away who has no token, and other sites', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const nobody = await call(daemon.url, 'POST', '/mcp', { body });
    expect([nobody.status, nobody.json.code]).toEqual([401, 'unauthenticated']);
    await expect(connect(daemon, 'stoa_guessed')).rejects.toThrow();
    const elsewhere = await call(daemon.url, 'POST', '/mcp', {
      body,
      token: daemon.token,
      headers: { origin: 'https://elsewhere.example' },
    });
    expect([elsewhere.status, elsewhere.json.code]).toEqual([403, 'origin_not_allowed']);
  });
});

describe('MCP servers of an agent', () => {
  let daemon: TestDaemon;
  let owner: Caller;
  let script: McpScript;
  let http: McpHttpServer;

  beforeEach(async () => {
    script = new McpScript();
    http = new McpHttpServer();
    await http.start();
    daemon = await startDaemon({ env: { GREETING_KEY: 'open sesame' } });
    owner = callerOf(daemon.url, daemon.token);
  });
  afterEach(async () => {
    await daemon.cleanUp();
    await http.stop();
    script.remove();
  });

  /** Processes that run the script of the test. */
  const processes = (): string[] =>
    readdirSync('/proc').filter((name) => {
      try {
        return (
          /^\d+$/.test(name) &&
          readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(script.directory)
        );
      } catch {
        return false;
      }
    });

  async function finishedRun(): Promise<{ output: unknown; notes: string[] }> {
    const turn = `
turns:
  - steps:
      - call:
          - { tool: mcp__calc__add, input: { a: 20, b: 22 }, as: sum }
          - { tool: mcp__hello__greet, input: { name: Ada }, as: greeting }
      - emit: '\${results.sum} \${results.greeting}'
`;
    await owner.put('/v1/agents/worker', {
      driver: { kind: 'script', script: turn },
      mode: 'full',
      mcpServers: {
        calc: script.config(),
        hello: { url: http.url, headers: { 'x-key': '$GREETING_KEY' } },
        broken: script.config('broken'),
      },
    });
    expect((await owner.get<Health>('/v1/mcp-servers')).json.servers).toMatchObject([
      { name: 'broken', state: 'idle' },
      { name: 'calc', state: 'idle' },
      { name: 'hello', state: 'idle' },
    ]);
    const body = { agentId: 'worker', workspace: script.directory };
    const sessionId = await openSession(owner, body);
    const run = await askSession(owner, sessionId, 'go');
    const { json } = await owner.get<{ entries: { type: string; data: { text: string } }[] }>(
      `/v1/sessions/${sessionId}/journal?limit=200`,
    );
    const notes = json.entries.filter(({ type }) => type === 'note').map(({ data }) => data.text);
    return { output: run.output, notes };
  }

  it('R-35 are used over stdio and HTTP; one that is offline is shown, and the agent runs', async () => {
    const { output, notes } = await finishedRun();
    expect(JSON.stringify(output)).toMatch(/42.*Hello Ada/);
    expect(notes).toEqual([expect.stringMatching(/^The MCP server broken is offline: it exited/)]);
    expect(http.headers.at(-1)).toMatchObject({ 'x-key': 'open sesame' });
    const { servers } = (await owner.get<Health>('/v1/mcp-servers')).json;
    const calc = servers.find(({ name }) => name === 'calc');
    expect(calc).toMatchObject({ agentId: 'worker', state: 'online' });
    expect(calc?.tools).toContain('add');
    await until('the broken one is shown as offline', async () => {
      const { json } = await owner.get<Health>('/v1/mcp-servers');
      const broken = json.servers.find(({ name }) => name === 'broken');
      return broken?.state === 'offline' && broken.reason?.includes('no configuration was found');
    });
  });

  it.each(['stop', 'kill'] as const)('R-35 end with the daemon: %s', async (how) => {
    await finishedRun();
    expect(processes()).not.toEqual([]);
    await daemon[how]();
    await until('none of them is left', () => processes().length === 0);
  });
});
