import fs from 'node:fs';
import path from 'node:path';
import { ROUTES, type Route, schemasOf } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.js';
import type { TransportRequest } from './http/transport.js';

const answers = new TextEncoder();

/** What a call sends, with a daemon that answers everything with `answer`. */
async function sent(
  make: (client: ReturnType<typeof createClient>) => Promise<unknown>,
  answer: unknown = {},
): Promise<{ method: string; path: string; query: string; body: unknown; headers: object }> {
  let seen: TransportRequest | undefined;
  const client = createClient({
    baseUrl: 'http://stoa',
    token: 't',
    newKey: () => 'key',
    transport: (request) => {
      seen = request;
      return Promise.resolve({ status: 200, body: answers.encode(JSON.stringify(answer)) });
    },
  });
  await make(client);
  if (!seen) throw new Error('nothing was sent');
  const url = new URL(seen.url);
  return {
    method: seen.method,
    path: url.pathname,
    query: url.search,
    body: typeof seen.body === 'string' ? (JSON.parse(seen.body) as unknown) : undefined,
    headers: seen.headers,
  };
}

/** The contract takes the body as the client sends it, and fills in its defaults. */
function accepted(route: Route, body: unknown): unknown {
  const schema = schemasOf(route).body;
  if (!schema) throw new Error('no body');
  return schema.parse(body);
}

describe('calls for agents, sessions, runs, approvals and schedules', () => {
  it('submits text as an item and leaves the rule to the daemon', async () => {
    const call = await sent((client) => client.sessions.submit('ses_1', 'do it'));
    expect(call).toMatchObject({ method: 'POST', path: '/v1/sessions/ses_1/inbox' });
    expect(call.headers).toMatchObject({ 'idempotency-key': 'key' });
    expect(call.body).toEqual({ text: 'do it' });
    expect(accepted(ROUTES.submitItem, call.body)).toMatchObject({ rule: 'followup' });
  });

  it('allows once by default, for the arguments that the person saw', async () => {
    const once = await sent((client) => client.approvals.allow('apr_1', { inputHash: 'h' }));
    expect(once.body).toEqual({ decision: 'allow', scope: 'once', inputHash: 'h' });
    const always = await sent((client) => client.approvals.allow('apr_1', { scope: 'workspace' }));
    expect(always.body).toEqual({ decision: 'allow', scope: 'workspace' });
    const denied = await sent((client) => client.approvals.deny('apr_1', { message: 'no' }));
    expect(denied.body).toEqual({ decision: 'deny', scope: 'once', message: 'no' });
    for (const { body } of [once, always, denied]) {
      expect(() => accepted(ROUTES.answerApproval, body)).not.toThrow();
    }
  });

  it('sends agents and schedules as written and leaves defaults to the daemon', async () => {
    const agent = await sent((client) =>
      client.agents.put('player', { driver: { kind: 'script', script: 'turns: []' } }),
    );
    expect(accepted(ROUTES.putAgent, agent.body)).toMatchObject({ mode: 'ask', instructions: '' });
    const made = await sent((client) =>
      client.agents.put(
        'player',
        { driver: { kind: 'script', script: 'turns: []' } },
        { existing: 'refuse' },
      ),
    );
    expect(made.body).toEqual(agent.body);
    expect([agent.query, made.query]).toEqual(['', '?existing=refuse']);
    const schedule = await sent((client) =>
      client.schedules.create({
        sessionId: `ses_${'0'.repeat(26)}`,
        title: 'tick',
        cadence: { kind: 'interval', everyMs: 60_000 },
        text: 'tick',
      }),
    );
    expect(accepted(ROUTES.createSchedule, schedule.body)).toMatchObject({ overlap: 'skip' });
  });

  it('reads a journal to its end, over pages without an entry', async () => {
    const pages = [
      { entries: [{ seq: 1 }], nextAfter: 3 },
      { entries: [], nextAfter: 9 },
      { entries: [{ seq: 10 }] },
    ];
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'http://stoa',
      transport: ({ url }) => {
        asked.push(new URL(url).search);
        const body = answers.encode(JSON.stringify(pages[asked.length - 1]));
        return Promise.resolve({ status: 200, body });
      },
    });
    const seqs: number[] = [];
    for await (const { entries } of client.sessions.journal.pages('ses_1', { after: 0 })) {
      seqs.push(...entries.map(({ seq }) => seq));
    }
    expect(seqs).toEqual([1, 10]);
    expect(asked).toEqual(['?after=0', '?after=3', '?after=9']);
  });

  it('asks for the agents of a workspace', async () => {
    const list = await sent((client) => client.agents.list({ workspace: '/a b' }), { agents: [] });
    expect(list).toMatchObject({ path: '/v1/agents', query: '?workspace=%2Fa+b' });
    const one = await sent((client) => client.agents.get('player', { workspace: '/a' }));
    expect(one).toMatchObject({ path: '/v1/agents/player', query: '?workspace=%2Fa' });
  });

  it('asks for the states of the MCP servers of agents', async () => {
    const call = await sent((client) => client.agents.mcpServers(), { servers: [] });
    expect(call).toMatchObject({ method: 'GET', path: '/v1/mcp-servers' });
  });

  it('asks for usage with the given filters', async () => {
    const call = await sent((client) => client.usage({ by: 'model', since: 5 }));
    expect(call).toMatchObject({ path: '/v1/usage', query: '?by=model&since=5' });
  });
});

describe('the methods that follow from the route table', () => {
  it('take the ids of the path in their order, then the body, then options', async () => {
    const call = await sent((client) =>
      client.boards.revise('ses_1', 'brd_1', { text: 'x' }, { idempotencyKey: 'mine' }),
    );
    expect(call).toMatchObject({
      method: 'POST',
      path: '/v1/sessions/ses_1/boards/brd_1/revisions',
      body: { text: 'x' },
      headers: { 'idempotency-key': 'mine' },
    });
  });

  it('accept one field instead of a body or a query, and return one field instead of an answer', async () => {
    const reaction = await sent((client) => client.messages.react('lobby', 'msg_1', '👍'));
    expect(reaction.body).toEqual({ emoji: '👍' });
    const cleared = await sent((client) => client.agents.setNickname('player', null));
    expect(cleared.body).toEqual({ nickname: null });
    const backup = await sent((client) => client.backup());
    expect(backup.body).toEqual({});
    let hits: unknown;
    const search = await sent(
      async (client) => {
        hits = await client.search('words');
      },
      { hits: [1, 2] },
    );
    expect(search.query).toBe('?query=words');
    expect(hits).toEqual([1, 2]);
  });

  it('take a query beside a body, headers and a login code as options', async () => {
    const asset = await sent((client) =>
      client.assets.upload(new Uint8Array([1]), { name: 'a.bin' }),
    );
    expect(asset).toMatchObject({ path: '/v1/assets', query: '?name=a.bin' });
    const headers = { 'Stoa-Signature': 's', 'Stoa-Delivery': 'd' };
    const seen = await sent((client) =>
      client.observations.send('src_1', new Uint8Array([1]), { headers }),
    );
    expect(seen.headers).toMatchObject(headers);
    const minted = await sent((client) =>
      client.tokens.mint({ humanId: 'ada', name: 'laptop' }, { loginCode: 'code' }),
    );
    expect(minted.headers).toMatchObject({ 'stoa-login-code': 'code' });
  });

  it('page in the direction of the table, from the given position', async () => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'http://stoa',
      transport: ({ url }) => {
        asked.push(new URL(url).search);
        const page = { decisions: [], ...(asked.length === 1 && { nextBefore: 4 }) };
        return Promise.resolve({ status: 200, body: answers.encode(JSON.stringify(page)) });
      },
    });
    const pages = client.turns.decisions.pages('lobby', 'msg_1', { before: 9, limit: 5 });
    let count = 0;
    for await (const { decisions } of pages) count += 1 + decisions.length;
    expect(count).toBe(2);
    expect(asked).toEqual(['?before=9&limit=5', '?before=4&limit=5']);
  });

  it('exclude only the routes of browsers, operators, proofs and live streams', () => {
    const routes = Object.entries<Route>(ROUTES).filter(([, { client }]) => client === undefined);
    const left = routes.filter(([, { tag }]) => tag !== 'browser').map(([id]) => id);
    expect(left.sort()).toEqual([
      'events',
      'grantAccess',
      'healthz',
      'mcp',
      'mcpStream',
      'metrics',
      'openapi',
      'proveDaemon',
      'readyz',
      'stream',
    ]);
  });
});

describe('the package', () => {
  it('imports only types from the contract, so that browsers and commands load no schemas', () => {
    const source = import.meta.dirname;
    const files = fs
      .readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const loading = files.filter((file) =>
      /^(?:import|export) (?!type\b)[^;]*from '@stoa\/protocol'/m.test(
        fs.readFileSync(path.join(source, file), 'utf8'),
      ),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(loading).toEqual([]);
  });
});
