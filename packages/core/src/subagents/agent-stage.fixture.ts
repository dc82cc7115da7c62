import { type AgentDefinition, StoaError, type Task } from '@stoa/protocol';
import {
  AgentSession,
  type DirectedRun,
  definitionOf,
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  type StoreEngine,
  until,
} from '@stoa/testkit';
import type { RuntimePorts } from '../create-core.js';
import type { NewSubAgent } from './launch-agent.js';

const HELPER = definitionOf({ kind: 'script', script: '' }, 'Help.');

/** A session that starts agents, and its daemon, which can be restarted. */
export class AgentFixture {
  isWorkspaceGone = false;
  readonly agents: Record<string, AgentDefinition> = { helper: HELPER, scout: HELPER };
  daemon!: RuntimeDaemon;
  parent!: AgentSession;

  private constructor(readonly world: RuntimeWorld) {}

  static async open(
    engine: StoreEngine,
    changes: Partial<RuntimePorts> = {},
  ): Promise<AgentFixture> {
    const stage = new AgentFixture(await RuntimeWorld.open(engine));
    await stage.start(changes);
    stage.parent = await AgentSession.open(stage.daemon, 'helper');
    return stage;
  }

  async start(changes: Partial<RuntimePorts> = {}): Promise<void> {
    const obedient = { stop: () => Promise.resolve(), reattach: () => Promise.resolve() };
    this.daemon = await this.world.start({
      taskExecutors: new Map([
        ['shell', () => obedient],
        ['monitor', () => obedient],
      ]),
      builtinAgents: () => Promise.resolve(this.agents),
      workspaces: {
        resolve: (workspace) =>
          this.isWorkspaceGone
            ? Promise.reject(new StoaError('invalid_workspace', 'there is none'))
            : Promise.resolve(workspace ?? '/work'),
        instructions: () => Promise.resolve(undefined),
        isShared: () => true,
        isSelfApproved: () => true,
      },
      ...changes,
    });
    await this.daemon.core.tasks.recover();
  }

  /** Kills the daemon and starts another. */
  async restart(changes: Partial<RuntimePorts> = {}): Promise<void> {
    await this.daemon.abandon();
    await this.start(changes);
    this.parent = this.parent.on(this.daemon);
  }

  launch(change: Partial<NewSubAgent> = {}, from = this.parent.sessionId): Promise<Task> {
    return this.daemon.core.subAgents.launch(from, {
      description: 'look around',
      prompt: 'Look around.',
      isForeground: false,
      programs: [],
      ...change,
    });
  }

  get(taskId: string): Promise<Task> {
    return this.daemon.core.tasks.get(OWNER, taskId);
  }

  ended(taskId: string): Promise<Task> {
    return until(`${taskId} has ended`, async () => {
      const task = await this.get(taskId);
      return task.endedAt === undefined ? undefined : task;
    });
  }

  sessionOf({ detail }: Task): AgentSession {
    return AgentSession.of(this.daemon, detail['sessionId'] as string);
  }

  runsOf({ detail }: Task): DirectedRun[] {
    return this.daemon.driver.runs.filter(
      ({ context }) => context.session.sessionId === detail['sessionId'],
    );
  }

  runOf(task: Task): Promise<DirectedRun> {
    return until(`${task.taskId} runs`, () => this.runsOf(task).at(-1));
  }

  async notices(sessionId = this.parent.sessionId): Promise<string[]> {
    const query = { kind: 'task_notice' as const, limit: 100 };
    const { items } = await this.daemon.core.inbox.list(OWNER, sessionId, query);
    return items.flatMap(({ inputItems }) =>
      inputItems.flatMap((item) => (item.type === 'text' ? [item.text] : [])),
    );
  }
}
