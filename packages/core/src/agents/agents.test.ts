import type { AgentDefinition } from '@stoa/protocol';
import {
  definitionOf,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
} from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentFile } from './agents.js';

const [engine] = STORE_ENGINES;
const defined = (by: string): AgentDefinition => ({
  ...definitionOf({ kind: 'script', script: '' }, by),
});
const file = (agentId: string, path: string): AgentFile => ({
  agentId,
  path,
  definition: defined(path),
});

let world: RuntimeWorld;
beforeEach(async () => {
  if (!engine) throw new Error('there is no engine');
  world = await RuntimeWorld.open(engine);
});
afterEach(() => world.discard());

function start(theirs: readonly AgentFile[]): Promise<RuntimeDaemon> {
  const own = [file('a', 'own')];
  return world.start({
    builtinAgents: () => Promise.resolve({ a: defined('shipped'), c: defined('shipped') }),
    agentFiles: {
      list: (workspace) => Promise.resolve(workspace === undefined ? own : [...theirs, ...own]),
    },
  });
}

/** The source of each id's definition in the workspace. */
async function inWorkspace({ core }: RuntimeDaemon) {
  const agents = await core.agents.list('/ws');
  return Object.fromEntries(
    agents.map(({ agentId, definition, problem }) => [
      agentId,
      definition?.instructions ?? problem,
    ]),
  );
}

const IDS = ['a', 'b', 'c', 'd'];

describe('definitions of one id', () => {
  it('of a trusted workspace take precedence over those of the daemon, the API and Stoa', async () => {
    const daemon = await start(IDS.map((agentId) => file(agentId, 'theirs')));
    await daemon.core.agents.put(OWNER, 'b', defined('api'));
    expect(await inWorkspace(daemon)).toEqual({
      a: 'theirs',
      b: 'theirs',
      c: 'theirs',
      d: 'theirs',
    });
  });

  it('of an untrusted workspace replace no other, valid or broken, so that no rule is lost', async () => {
    const daemon = await start([
      ...IDS.map((agentId) => ({ ...file(agentId, 'theirs'), isUntrusted: true })),
      ...['a', 'e'].map((agentId) => ({ agentId, path: '', problem: 'broken', isUntrusted: true })),
    ]);
    await daemon.core.agents.put(OWNER, 'b', defined('api'));
    expect(await inWorkspace(daemon)).toEqual({
      a: 'own',
      b: 'api',
      c: 'shipped',
      d: 'theirs',
      e: 'broken',
    });
  });

  it('is replaced by a put, and only one of several concurrent puts with `refuse` creates it', async () => {
    const { agents } = (await start([])).core;
    const make = (agentId: string, by: string) =>
      agents.put(OWNER, agentId, defined(by), { existing: 'refuse' });
    const made = await Promise.allSettled([make('b', 'one'), make('b', 'two')]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { definition } = await agents.get('b');
    const other = definition?.instructions === 'one' ? 'two' : 'one';
    await expect(make('b', other)).rejects.toMatchObject({
      code: 'agent_exists',
      message: 'There is already an agent b',
    });
    // A lost call can be repeated.
    expect((await make('b', definition?.instructions ?? '')).definition).toEqual(definition);
    await expect(make('c', 'one')).rejects.toMatchObject({ code: 'agent_exists' });
    // Names of object properties are valid ids.
    expect(await make('constructor', 'one')).toMatchObject({ agentId: 'constructor' });
    await expect(make('a', 'one')).rejects.toMatchObject({ code: 'agent_in_file' });
    expect((await agents.get('b')).definition).toEqual(definition);
    await agents.put(OWNER, 'b', defined(other));
    expect((await agents.get('b')).definition?.instructions).toBe(other);
  });
});
