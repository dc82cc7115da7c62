import {
  type AgentDefinition,
  DRIVER_SPECS,
  type DriverKind,
  type DriverSpec,
  type Principal,
} from '@stoa/protocol';
import {
  DirectedDriver,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
} from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Driver } from '../runs/driver.js';
import { agentFor } from './withheld-values.js';

interface RemoteConfig {
  readonly kind: 'remote';
  readonly host: string;
  readonly keys?: Readonly<Record<string, string>>;
}

/** A driver that only this test knows. It needs only a specification and an implementation. */
const REMOTE: Omit<DriverSpec<RemoteConfig>, 'schema'> = {
  kind: 'remote',
  capabilities: { inject: false },
  usesOwnerKeys: true,
  usesStoaTools: false,
  extractsNotes: false,
  program: ({ host }) => ['connect', host],
  secrets: { field: 'keys', recipient: ({ host }) => host },
};

const KIND = 'remote' as DriverKind;
const specs = DRIVER_SPECS as unknown as Map<string, unknown>;
const [engine] = STORE_ENGINES;

describe('a kind of driver that is only specified and implemented', () => {
  let world: RuntimeWorld;
  let daemon: RuntimeDaemon;
  let host = 'one.example';
  const driver = new DirectedDriver(KIND, REMOTE.capabilities);
  const definition = (): AgentDefinition =>
    ({
      driver: { kind: 'remote', host, keys: { token: 'secret-of-the-owner' } },
      mode: 'ask',
      instructions: '',
    }) as unknown as AgentDefinition;

  beforeAll(async () => {
    if (!engine) throw new Error('there is no engine');
    specs.set(KIND, REMOTE);
    world = await RuntimeWorld.open(engine);
    daemon = await world.start({
      builtinAgents: () => Promise.resolve({ far: definition() }),
      drivers: new Map<DriverKind, Driver>([[KIND, driver]]),
    });
  });
  afterAll(async () => {
    await daemon.core.runner.stop();
    await world.discard();
    specs.delete(KIND);
  });

  it('runs with its secrets, which its session does not store', async () => {
    const { core } = daemon;
    const { sessionId } = await core.sessions.create(OWNER, { agentId: 'far' });
    await core.inbox.submit(OWNER, sessionId, { text: 'Go', rule: 'followup' });
    const run = await driver.nth(1);
    expect(run.context.session.persona.definition.driver).toEqual(definition().driver);
    const journal = await core.readTopic(OWNER, `session:${sessionId}`, 0, 100);
    expect(JSON.stringify(journal)).toContain('one.example');
    expect(JSON.stringify(journal)).not.toContain('secret-of-the-owner');
    const injected = await core.inbox.submit(OWNER, sessionId, { text: 'x', rule: 'inject' });
    expect(injected.appliedRule).toBe('followup');
    run.complete();
  });

  it('does not give its secrets to another recipient, and shows them to nobody but the owner', async () => {
    const { core } = daemon;
    const { sessionId } = await core.sessions.create(OWNER, { agentId: 'far' });
    host = 'two.example';
    const { runId } = await core.inbox.submit(OWNER, sessionId, {
      text: 'Go',
      rule: 'followup',
    });
    await core.runner.idle(sessionId);
    expect((await core.runs.get(OWNER, runId)).failure).toMatchObject({
      code: 'invalid_agent',
      message: expect.stringContaining('driver.keys.token') as string,
    });
    const agent = await core.agents.get('far');
    const guest: Principal = {
      kind: 'human',
      id: 'hum_guest',
      owner: false,
      credentialId: 'crd_g',
    };
    expect(JSON.stringify(agentFor(guest, agent))).not.toContain('secret-of-the-owner');
    expect(JSON.stringify(agentFor(OWNER, agent))).toContain('secret-of-the-owner');
  });

  it('starts a program, which a session has to be allowed to start', async () => {
    const { sessionId } = await daemon.core.sessions.create(OWNER, { agentId: 'far' });
    expect(await daemon.core.subAgents.programsOf(sessionId, 'far')).toEqual([
      {
        label: 'Program: connect two.example',
        subject: { type: 'shell', command: 'connect two.example' },
      },
    ]);
  });
});
