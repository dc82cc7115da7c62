import type { AgentDefinition } from '@stoa/protocol';
import {
  AgentSession,
  definitionOf,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentFor, complete, withhold } from './withheld-values.js';

const ACP: AgentDefinition = {
  mode: 'ask',
  instructions: '',
  driver: {
    kind: 'acp',
    command: ['coder'],
    env: { A: 'canary-a', B: '$NAMED', C: 'x$$canary-c', D: '' },
  },
  mcpServers: {
    web: {
      url: 'https://me:canary-1@example.com/mcp?key=canary-2#canary-3',
      headers: {
        Authorization: 'Bearer canary-4',
        'X-Key': 'Bearer ${NAMED}',
        Y: 'canary-5$NAMED',
      },
    },
    plain: { url: 'https://example.com/mcp' },
    local: { command: 'db', args: ['-v'], env: { PASSWORD: 'canary-6' } },
  },
};

const changed = (change: Partial<AgentDefinition>): AgentDefinition => ({ ...ACP, ...change });

describe('values of a definition that may be keys', () => {
  it('are withheld, and names of variables are not', () => {
    const shown = withhold(ACP);
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(shown.driver).toMatchObject({ command: ['coder'], env: { B: '$NAMED', D: '' } });
    expect(shown.mcpServers).toMatchObject({
      web: { url: expect.stringMatching(/^https:\/\/example\.com\/mcp\?/) as string },
      plain: { url: 'https://example.com/mcp' },
      local: { command: 'db', args: ['-v'] },
    });
    expect(shown.mcpServers?.['web']).toMatchObject({ headers: { 'X-Key': 'Bearer ${NAMED}' } });
  });

  it('are taken from the current definition', () => {
    expect(complete(withhold(ACP), ACP)).toEqual(ACP);
    const env = { A: 'another', C: 'third' };
    const rotated = changed({ driver: { kind: 'acp', command: ['coder'], env } });
    expect(complete(withhold(ACP), rotated).driver).toMatchObject({
      env: { A: 'another', B: '$NAMED', C: 'third', D: '' },
    });
  });

  it.each([
    [
      'another program',
      { driver: { ...ACP.driver, command: ['other'] } as AgentDefinition['driver'] },
    ],
    ['no program', { driver: { kind: 'builtin' } }],
    ['no servers', { mcpServers: {} }],
    [
      'another server',
      { mcpServers: { ...ACP.mcpServers, web: { url: 'https://evil.example/mcp?key=1' } } },
    ],
    [
      'another command',
      { mcpServers: { ...ACP.mcpServers, local: { command: 'evil', env: { PASSWORD: 'x' } } } },
    ],
  ] satisfies [string, Partial<AgentDefinition>][])('are not given to %s', (_, change) => {
    expect(() => complete(withhold(ACP), changed(change))).toThrow('refresh the session');
  });

  it('are shown only to the owner', () => {
    const agent = {
      agentId: 'a',
      source: 'api',
      name: 'a',
      status: 'ready',
      definition: ACP,
    } as const;
    expect(agentFor(OWNER, agent)).toBe(agent);
    const ada = { kind: 'human', id: 'ada', credentialId: 'c', owner: false } as const;
    expect(JSON.stringify(agentFor(ada, agent))).not.toContain('canary');
  });
});

describe('a session of an agent with keys', () => {
  const [engine] = STORE_ENGINES;
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let agents: Record<string, AgentDefinition>;
  beforeEach(async () => {
    if (!engine) throw new Error('there is no engine');
    world = await RuntimeWorld.open(engine);
    const { mcpServers } = ACP;
    const helper = definitionOf({ kind: 'script', script: '' });
    agents = { helper: { ...helper, ...(mcpServers ? { mcpServers } : {}) } };
    daemon = await world.start({ builtinAgents: () => Promise.resolve(agents) });
  });
  afterEach(() => world.discard());

  it('R-24 does not store them, and its runs get them', async () => {
    const session = await AgentSession.open(daemon, 'helper');
    await session.submit('hello');
    const run = await daemon.driver.nth(1);
    expect(run.context.session.persona.definition.mcpServers).toEqual(ACP.mcpServers);
    await daemon.core.runs.cancel(OWNER, run.context.runId);
    await daemon.core.sessions.refresh(OWNER, session.sessionId);
    expect(await session.bytes()).not.toContain('canary');
  });

  it('fails if its agent no longer has them, and states what to do', async () => {
    const session = await AgentSession.open(daemon, 'helper');
    agents = { helper: definitionOf({ kind: 'script', script: '' }) };
    const { runId } = await session.submit('hello');
    const { failure } = await session.ended(runId);
    expect(failure).toMatchObject({ phase: 'start', code: 'invalid_agent' });
    expect(failure?.message).toContain('mcpServers.web.url');
  });
});
