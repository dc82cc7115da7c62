import type { InboxItem, Principal, Task, TaskStatus } from '@stoa/protocol';
import {
  OWNER,
  type RuntimeDaemon,
  RuntimeWorld,
  STORE_ENGINES,
  type StoreEngine,
} from '@stoa/testkit';
import type { RuntimePorts } from '../create-core.js';
import type { NewTask } from './create-task.js';
import type { TaskExecutor, TaskKind, TaskMessage } from './kind.js';
import type { Settlement } from './settle-task.js';

/** An executor that starts nothing: it records its calls, and behaves as the test sets it. */
export class DirectedExecutor implements TaskExecutor {
  readonly started: string[] = [];
  readonly resumed: string[] = [];
  readonly reattached: string[] = [];
  readonly stopped: { readonly taskId: string; readonly by: string }[] = [];
  readonly sent: ({ readonly taskId: string } & TaskMessage)[] = [];
  readonly forgotten: string[] = [];
  /** Tasks that tool calls wait for. */
  waited: Task[] = [];
  /** Undefined: there is none. */
  output: string | undefined = '';
  whileStopping: (task: Task) => Promise<void> = () => Promise.resolve();
  whenStarted: (task: Task) => Promise<void> = () => Promise.resolve();
  whenReattached: (task: Task) => Promise<void> = () => Promise.resolve();

  async start(task: Task): Promise<void> {
    this.started.push(task.taskId);
    await this.whenStarted(task);
  }
  async stop(task: Task, by: string): Promise<void> {
    this.stopped.push({ taskId: task.taskId, by });
    await this.whileStopping(task);
    this.waited = this.waited.filter(({ taskId }) => taskId !== task.taskId);
  }
  send({ taskId }: Task, message: TaskMessage): Promise<void> {
    this.sent.push({ taskId, ...message });
    return Promise.resolve();
  }
  resume({ taskId }: Task): Promise<void> {
    this.resumed.push(taskId);
    return Promise.resolve();
  }
  async reattach(task: Task): Promise<void> {
    this.reattached.push(task.taskId);
    await this.whenReattached(task);
  }
  read(_: Task, { offset, limit }: { offset: number; limit: number }) {
    if (this.output === undefined) return Promise.resolve(undefined);
    const text = this.output.slice(offset, offset + limit);
    const size = this.output.length;
    return Promise.resolve({
      offset,
      nextOffset: offset + text.length,
      oldestOffset: 0,
      size,
      text,
    });
  }
  foreground(): readonly Task[] {
    return this.waited;
  }
  forget({ taskId }: Task): Promise<void> {
    this.forgotten.push(taskId);
    return Promise.resolve();
  }
}

const KINDS = ['shell', 'monitor', 'agent', 'dream'] as const;

const DETAILS: Readonly<Record<string, NewTask['detail']>> = {
  shell: { command: 'npm run build' },
  monitor: { command: 'tail -f log' },
  agent: { agentId: 'helper' },
};

/** Factories that return these executors. */
export const factoriesOf = (executors: Iterable<readonly [string, TaskExecutor]>) =>
  new Map([...executors].map(([kind, executor]) => [kind, () => executor]));

/** A daemon with sessions and executors that the test directs. */
export class TaskStage {
  private constructor(
    readonly world: RuntimeWorld,
    public daemon: RuntimeDaemon,
    readonly executors: Map<string, DirectedExecutor>,
    private readonly ports: Partial<RuntimePorts>,
  ) {}

  static async open(engine: StoreEngine, taskKinds: readonly TaskKind[] = []): Promise<TaskStage> {
    const world = await RuntimeWorld.open(engine);
    const names = [...KINDS, ...taskKinds.map(({ kind }) => kind)];
    const executors = new Map(names.map((kind) => [kind, new DirectedExecutor()]));
    const ports = { taskExecutors: factoriesOf(executors), taskKinds };
    return new TaskStage(world, await world.start(ports), executors, ports);
  }

  /** On SQLite, for tests of behaviour without statements of its own. */
  static async withSession(): Promise<{ stage: TaskStage; sessionId: string }> {
    const sqlite = STORE_ENGINES.find(({ name }) => name === 'sqlite');
    if (!sqlite) throw new Error('there is no SQLite');
    const stage = await TaskStage.open(sqlite);
    return { stage, sessionId: await stage.session() };
  }

  get tasks() {
    return this.daemon.core.tasks;
  }

  executor(kind: string): DirectedExecutor {
    const executor = this.executors.get(kind);
    if (!executor) throw new Error(`there is no executor of ${kind}`);
    return executor;
  }

  async session(parentSessionId?: string): Promise<string> {
    const below = parentSessionId === undefined ? {} : { parentSessionId };
    const request = { agentId: 'helper', ...below };
    return (await this.daemon.core.sessions.create(OWNER, request)).sessionId;
  }

  /** Ends a session; the daemon is killed before it handles the end. */
  async endAlone(sessionId: string): Promise<void> {
    const { core, store } = this.daemon;
    const transact = store.transact.bind(store);
    let writes = 0;
    store.transact = (body, options) => {
      writes += 1;
      return writes === 1 ? transact(body, options) : new Promise(() => undefined);
    };
    await core.sessions.end(OWNER, sessionId);
    store.transact = transact;
  }

  begin(sessionId: string, kind = 'shell', more: Partial<NewTask> = {}): Promise<Task> {
    const detail = DETAILS[kind] ?? {};
    return this.tasks.create(sessionId, { kind, description: `a ${kind}`, detail, ...more });
  }

  settle(taskId: string, settlement: Partial<Settlement> = {}): Promise<Task> {
    const end = { cause: 'exited', exitCode: 0 };
    return this.tasks.settle(taskId, { status: 'completed', end, ...settlement });
  }

  get(taskId: string): Promise<Task> {
    return this.tasks.get(OWNER, taskId);
  }

  async statusOf(taskId: string): Promise<TaskStatus> {
    return (await this.get(taskId)).status;
  }

  async list(sessionId?: string): Promise<string[]> {
    const { tasks } = await this.tasks.list(OWNER, { sessionId, limit: 200 });
    return tasks.map(({ taskId }) => taskId);
  }

  /** Items about tasks in an inbox, oldest first. */
  async notices(sessionId: string): Promise<InboxItem[]> {
    const query = { kind: 'task_notice' as const, limit: 200 };
    return (await this.daemon.core.inbox.list(OWNER, sessionId, query)).items.reverse();
  }

  pass(milliseconds: number): void {
    this.daemon.timers.advance(milliseconds);
  }

  /** Kills the daemon and starts another. */
  async restart(changes: Partial<RuntimePorts> = {}): Promise<void> {
    await this.daemon.abandon();
    this.daemon = await this.world.start({ ...this.ports, ...changes });
    await this.tasks.recover();
  }

  /** Differences between the tables and a replay of the log. */
  async problems(): Promise<readonly string[]> {
    return (await this.daemon.core.checkIntegrity()).problems;
  }

  /** Throws if the tables differ from a replay of the log. */
  async discardSound(): Promise<void> {
    const problems = await this.problems();
    await this.world.discard();
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
}

/** A session as a caller. */
export const asSession = (id: string): Principal => ({
  kind: 'session',
  id,
  credentialId: 'session',
});

export const textOf = ({ inputItems: [item] }: InboxItem): string =>
  item?.type === 'text' ? item.text : '';
