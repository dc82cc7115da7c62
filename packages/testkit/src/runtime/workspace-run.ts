import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RunContext, RuntimePorts } from '@stoa/core';
import type { AnswerApproval, Approval, PermissionMode, PermissionRules } from '@stoa/protocol';
import { STORE_ENGINES } from '../engines/store-engines.js';
import { until } from '../time/until.js';
import type { VirtualClock } from '../virtual/clock.js';
import { AgentSession } from './agent-session.js';
import type { DirectedRun } from './directed-driver.js';
import { OWNER, type RuntimeDaemon, RuntimeWorld } from './runtime-world.js';

export interface WorkspaceRunOptions {
  readonly mode?: PermissionMode;
  readonly permissions?: PermissionRules;
  readonly runtime?: Partial<RuntimePorts>;
}

/** An active run in its own directory, with the daemon's directory beside it. */
export class WorkspaceRun {
  private constructor(
    private readonly root: string,
    private readonly world: RuntimeWorld,
    private readonly runtime: Partial<RuntimePorts>,
    public daemon: RuntimeDaemon,
    private directed: DirectedRun,
    readonly sessionId: string,
  ) {}

  static async open(options: WorkspaceRunOptions = {}): Promise<WorkspaceRun> {
    const { mode = 'ask', permissions } = options;
    const root = await realpath(await mkdtemp(join(tmpdir(), 'stoa-run-')));
    const workspace = join(root, 'workspace');
    await mkdir(workspace);
    await mkdir(join(root, 'home'));
    const [engine] = STORE_ENGINES;
    if (!engine) throw new Error('there is no engine');
    const world = await RuntimeWorld.open(engine);
    const runtime = {
      ...options.runtime,
      ...(permissions === undefined ? {} : { configRules: permissions }),
    };
    const daemon = await world.start(runtime);
    const { sessionId } = await daemon.core.sessions.create(OWNER, {
      agentId: 'helper',
      workspace,
      mode,
    });
    await daemon.core.inbox.submit(OWNER, sessionId, { text: 'Begin.', rule: 'followup' });
    const directed = await daemon.driver.nth(1);
    await directed.deliver();
    return new WorkspaceRun(root, world, runtime, daemon, directed, sessionId);
  }

  get workspace(): string {
    return join(this.root, 'workspace');
  }

  /** The directory that agents must not see. */
  get home(): string {
    return join(this.root, 'home');
  }

  get clock(): VirtualClock {
    return this.world.clock;
  }

  get context(): RunContext {
    return this.directed.context;
  }

  /** A path outside both. */
  outside(name: string): string {
    return join(this.root, name);
  }

  /** Writes a file below the workspace, with the directories it needs. */
  async file(path: string, text: string | Uint8Array = ''): Promise<string> {
    const full = join(this.workspace, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
    return full;
  }

  session(): AgentSession {
    return AgentSession.of(this.daemon, this.sessionId);
  }

  /** Waits until something is asked. */
  asked(): Promise<Approval> {
    return until('something is asked', async () => {
      const { sessionId } = this;
      const query = { state: 'pending' as const, sessionId, limit: 1 };
      return (await this.daemon.core.approvals.list(OWNER, query)).approvals[0];
    });
  }

  /** Waits until something is asked, and answers it. */
  async answer(answer: AnswerApproval): Promise<Approval> {
    const { approvalId } = await this.asked();
    return this.daemon.core.approvals.answer(OWNER, approvalId, answer);
  }

  async cancel(): Promise<void> {
    await this.daemon.core.runs.cancel(OWNER, this.context.runId);
  }

  /** The daemon is killed; another one starts on its data and takes up the run. */
  async restart(): Promise<void> {
    await this.daemon.abandon();
    this.daemon = await this.world.start(this.runtime);
    this.directed = await this.daemon.driver.nth(1);
  }

  async discard(): Promise<void> {
    await this.daemon.core.runner.stop();
    await this.world.discard();
    await rm(this.root, { recursive: true, force: true });
  }
}
