import { ROUTES, type Route } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client.js';
import type { TransportRequest } from '../http/transport.js';

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
  if (route.body === undefined || route.body === 'bytes') throw new Error('no body');
  return route.body.parse(body);
}

describe('calls for agents, sessions, runs, approvals and schedules', () => {
  it('submits text as an item and leaves the rule to the daemon', async () => {
    const call = await sent((client) => client.sessions.submit('ses_1', 'do it'));
    expect(call).toMatchObject({ method: 'POST', path: '/v1/sessions/ses_1/inbox' });
    expect(call.headers).toMatchObject({ 'idempotency-key': 'key' });
    expect(call.body).toEqual({ text: 'do it' });
    expect(accepted(ROUTES.submitItem, call.body)).toMatchObject({ rule: 'followup' });
  });

  it('allows once unless told otherwise, for the arguments that were seen', async () => {
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
      client.agents.create('player', { driver: { kind: 'script', script: 'turns: []' } }),
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
    for await (const { entries } of client.sessions.journalPages('ses_1')) {
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

  it('asks how the MCP servers of agents are', async () => {
    const call = await sent((client) => client.agents.mcpServers(), { servers: [] });
    expect(call).toMatchObject({ method: 'GET', path: '/v1/mcp-servers' });
  });

  it('asks for usage with what is given', async () => {
    const call = await sent((client) => client.usage({ by: 'model', since: 5 }));
    expect(call).toMatchObject({ path: '/v1/usage', query: '?by=model&since=5' });
  });
});
