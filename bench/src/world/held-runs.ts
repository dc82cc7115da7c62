import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Core, type Driver, type DriverEnd, OWNER_ID, type RunContext } from '@stoa/core';
import type { AgentDefinition, Principal } from '@stoa/protocol';
import { openDirectory } from './directory.js';
import { type Domain, openDomain, openStore } from './domain.js';
import type { Scope } from './scope.js';

export const OWNER: Principal = {
  kind: 'human',
  id: OWNER_ID,
  owner: true,
  credentialId: 'crd_00000000000000000000000000',
};

const AGENT_ID = 'held';
const AGENT: AgentDefinition = {
  driver: { kind: 'script', script: '' },
  mode: 'full',
  instructions: '',
};

/** Takes runs and does nothing with them by itself: the benchmark does. */
class HoldingDriver implements Driver {
  readonly kind = 'script';
  readonly capabilities = { inject: true } as const;
  readonly #expected = new Map<string, (run: RunContext) => void>();

  expect(sessionId: string): Promise<RunContext> {
    return new Promise((resolve) => this.#expected.set(sessionId, resolve));
  }

  async execute(run: RunContext): Promise<DriverEnd> {
    await run.journal.delivered(run.items.map(({ itemId }) => itemId));
    this.#expected.get(run.session.sessionId)?.(run);
    await new Promise((resolve) => {
      run.signal.addEventListener('abort', resolve, { once: true });
    });
    throw run.signal.reason;
  }

  forget(): void {
    // It keeps nothing.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A domain on a synced store, whose sessions have a run under way that the benchmark works in. */
export interface HeldRuns {
  readonly core: Core;
  readonly home: string;
  readonly workspace: string;
  open(): Promise<RunContext>;
  /** Another run of the same session; the one before ends. */
  next(run: RunContext): Promise<RunContext>;
}

export async function openHeldRuns(scope: Scope): Promise<HeldRuns> {
  const root = openDirectory(scope);
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')];
  for (const directory of [home, workspace]) mkdirSync(directory);
  const driver = new HoldingDriver();
  const { core }: Domain = openDomain(scope, {
    home,
    store: openStore(scope, home),
    search: 'none',
    runtime: {
      builtinAgents: () => Promise.resolve({ [AGENT_ID]: AGENT }),
      drivers: new Map([['script', driver]]),
    },
  });
  await core.credentials.adoptOwnerToken('bench', home);
  await core.ownership.join();
  scope.defer(() => core.runner.stop());
  const begin = async (sessionId: string): Promise<RunContext> => {
    const run = driver.expect(sessionId);
    await core.inbox.submit(OWNER, sessionId, { text: 'Begin.', rule: 'followup' });
    return run;
  };
  return {
    core,
    home,
    workspace,
    async open() {
      const { sessionId } = await core.sessions.create(OWNER, { agentId: AGENT_ID, workspace });
      return begin(sessionId);
    },
    async next({ runId, session }) {
      await core.runs.cancel(OWNER, runId);
      return begin(session.sessionId);
    },
  };
}
