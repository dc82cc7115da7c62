import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Core, Driver, DriverEnd, RunContext } from '@stoa/core';
import type { AgentDefinition, AutonomyPolicySettings } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { openDirectory } from './directory.js';
import { openDomain } from './domain.js';
import { OWNER } from './held-runs.js';
import type { Scope } from './scope.js';

const AGENT_ID = 'speaker';
const AGENT: AgentDefinition = {
  driver: { kind: 'script', script: '' },
  mode: 'full',
  instructions: '',
};

/** Does with every turn what the benchmark says. */
class SpeakingDriver implements Driver {
  readonly kind = 'script';
  readonly capabilities = { inject: true } as const;

  constructor(private readonly speak: (run: RunContext) => Promise<DriverEnd>) {}

  execute(run: RunContext): Promise<DriverEnd> {
    return this.speak(run);
  }

  forget(): void {
    // It keeps nothing.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Speakers {
  readonly core: Core;
  /** A channel with so many agents in it. */
  openChannel(channelId: string, members: number, policy?: AutonomyPolicySettings): Promise<void>;
}

/** A domain whose agents take their turns in channels as the benchmark lets them. */
export async function openSpeakers(
  scope: Scope,
  openStoreIn: (home: string) => Store | Promise<Store>,
  speak: (run: RunContext) => Promise<DriverEnd>,
): Promise<Speakers> {
  const root = openDirectory(scope);
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')];
  for (const directory of [home, workspace]) mkdirSync(directory);
  const { core } = openDomain(scope, {
    home,
    store: await openStoreIn(home),
    search: 'none',
    runtime: {
      builtinAgents: () => Promise.resolve({ [AGENT_ID]: AGENT }),
      drivers: new Map([['script', new SpeakingDriver(speak)]]),
    },
  });
  await core.credentials.adoptOwnerToken('bench', home);
  await core.ownership.join();
  scope.defer(() => core.runner.stop());
  scope.defer(() => core.turnClock.stop());
  return {
    core,
    async openChannel(channelId, members, autonomyPolicy = {}) {
      await core.channels.create(OWNER, { channelId, title: channelId, autonomyPolicy });
      for (let i = 0; i < members; i++) {
        const { sessionId } = await core.sessions.create(OWNER, { agentId: AGENT_ID, workspace });
        const actorId = `session:${sessionId}`;
        await core.channels.upsertMember(OWNER, channelId, { actorId, memberId: `agent-${i}` });
      }
    },
  };
}
