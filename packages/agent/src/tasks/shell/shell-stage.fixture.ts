import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { TaskExecutor, TaskRegistry } from '@stoa/core';
import type { Task } from '@stoa/protocol';
import { lateExecutor, OWNER, until, WorkspaceRun, type WorkspaceRunOptions } from '@stoa/testkit';
import { Sandbox } from '../../tools/shell/sandbox.js';
import { createShell, type ShellOptions } from '../../tools/shell/shell.js';
import { toolCalls } from '../../tools/tool-calls.fixture.js';
import { ShellTasks } from './shell-tasks.js';

/** A run in a workspace with the shell tool, the task registry and real processes. */
export class ShellStage {
  private constructor(
    readonly world: WorkspaceRun,
    readonly shells: ShellTasks,
    private readonly callTool: ReturnType<typeof toolCalls>,
  ) {}

  static async open(
    options: WorkspaceRunOptions & Pick<ShellOptions, 'monotonic'> = {},
  ): Promise<ShellStage> {
    const made: { shells?: ShellTasks } = {};
    const taskExecutors = new Map([
      ['shell', (registry: TaskRegistry) => lateExecutor(() => made.shells?.executor(registry))],
    ]);
    const world = await WorkspaceRun.open({
      mode: 'full',
      ...options,
      runtime: { taskExecutors, ...options.runtime },
    });
    const sandbox = new Sandbox({ home: world.home, bubblewrap: null });
    const tasksDirectory = join(world.home, 'tasks');
    const shells = new ShellTasks({
      tasksDirectory,
      sandbox,
      location: 'here',
      retryMs: 20,
    });
    made.shells = shells;
    const { monotonic } = options;
    const shell = createShell({
      tasksDirectory,
      sandbox,
      shells,
      ...(monotonic ? { monotonic } : {}),
    });
    return new ShellStage(world, shells, toolCalls(world, [shell]));
  }

  get executor(): Required<TaskExecutor> {
    return this.shells.executor(this.world.daemon.core.tasks) as Required<TaskExecutor>;
  }

  call(input: Readonly<Record<string, unknown>>) {
    return this.callTool('shell', input);
  }

  /** Starts a command in the background. */
  async background(command: string, more: Readonly<Record<string, unknown>> = {}): Promise<Task> {
    const { outcome, output } = await this.call({ command, is_background: true, ...more });
    const taskId = /tsk_[0-9a-z]{26}/.exec(output)?.[0];
    if (outcome !== 'ok' || taskId === undefined) throw new Error(output);
    return this.task(taskId);
  }

  task(taskId: string): Promise<Task> {
    return this.world.daemon.core.tasks.get(OWNER, taskId);
  }

  tasks(): Promise<Task[]> {
    const { sessionId } = this.world;
    return this.world.daemon.core.tasks
      .list(OWNER, { sessionId, limit: 100 })
      .then(({ tasks }) => tasks.filter((task) => !task.isForeground));
  }

  ended(taskId: string): Promise<Task> {
    return until(`${taskId} has ended`, async () => {
      const task = await this.task(taskId);
      return task.end && task;
    });
  }

  /** Waits until this many commands are in the foreground. */
  waitedFor(count: number): Promise<readonly Task[]> {
    return until(`${String(count)} are in the foreground`, () => {
      const found = this.executor.foreground();
      return found.length === count && found;
    });
  }

  async output(task: Task): Promise<string> {
    return (await this.executor.read(task, { offset: 0, limit: 100_000 }))?.text ?? '';
  }

  printed(task: Task, text: string): Promise<string> {
    return until(`it has printed ${text}`, async () => {
      const output = await this.output(task);
      return output.includes(text) && output;
    });
  }

  /** Creates the file that a command waits for. */
  go(name = 'go'): Promise<void> {
    return fs.writeFile(join(this.world.workspace, name), '');
  }

  files(): Promise<string[]> {
    return fs.readdir(join(this.world.home, 'tasks', this.world.sessionId)).catch(() => []);
  }

  async close(): Promise<void> {
    for (const task of await this.tasks()) if (!task.end) await this.executor.stop(task, 'system');
    this.shells.close();
    await this.world.discard();
  }
}
