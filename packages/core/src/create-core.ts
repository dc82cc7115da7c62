import {
  type AgentDefinition,
  type DriverKind,
  type IntegrityReport,
  LIMITS,
  type PermissionRules,
  type Principal,
  StoaError,
  type UsageQuery,
  type UsageReport,
} from '@stoa/protocol';
import { lockChannel, type ScratchStore, type SearchIndex, type Store, type Tx } from '@stoa/store';
import { AccessTokens } from './access/access-tokens.js';
import { Credentials } from './access/credentials.js';
import type { OpenChannel } from './access/gate.js';
import { LoginCodes } from './access/login-codes.js';
import { Proofs } from './access/proofs.js';
import { sessionToChange } from './access/session-gate.js';
import { SessionTokens } from './access/session-tokens.js';
import { type AgentFiles, Agents, type DefinitionCheck } from './agents/agents.js';
import { announceDefinition } from './agents/definition-notices.js';
import { Assets } from './assets/assets.js';
import { Boards } from './boards/boards.js';
import { Channels } from './channels/channels.js';
import type { ChannelContext } from './channels/context.js';
import type { LogEntry } from './log/entry.js';
import { Log } from './log/log.js';
import { readTopic, type TopicSlice } from './log/read-topic.js';
import { isStoreFailure, StoreWait } from './log/store-wait.js';
import { AfterRuns, type Extractor } from './memory/after-runs.js';
import { Memories } from './memory/memories.js';
import { Observations } from './observations/observations.js';
import type { ToolRequest } from './permissions/request.js';
import type { AssetFiles, Calendar, Clock, Ids, Secrets, Timers } from './ports.js';
import { Projects } from './projects/projects.js';
import { Recovery } from './recovery/recovery.js';
import {
  createChannelActions,
  createRunActions,
  type RunActionServices,
} from './run-actions/create-run-actions.js';
import { assertMayPost } from './runs/may-post.js';
import type { ChannelActions } from './runs/run-actions.js';
import { Approvals } from './sessions/approvals.js';
import { cleared } from './sessions/change-session.js';
import { completing } from './sessions/completing-driver.js';
import type { MemorySettings, SessionContext, Workspaces } from './sessions/context.js';
import { Drafts } from './sessions/drafts.js';
import type { Driver } from './sessions/driver.js';
import { lockReached } from './sessions/lock-reached.js';
import { assertMayUse } from './sessions/may-use.js';
import { Ownership } from './sessions/ownership.js';
import { Runner } from './sessions/runner.js';
import { Schedules } from './sessions/schedules.js';
import { Sessions } from './sessions/sessions.js';
import { reportUsage } from './sessions/usage.js';
import type { StimulusContext } from './stimuli/context.js';
import { IdleThreads } from './stimuli/idle-threads.js';
import { Stimuli } from './stimuli/stimuli.js';
import { StimulusClock } from './stimuli/stimulus-clock.js';
import { agentRunEnded } from './tasks/agent/agent-end.js';
import { AGENT } from './tasks/agent/agent-kind.js';
import type { ReadTranscript } from './tasks/agent/session-runs.js';
import { SubAgents } from './tasks/agent/sub-agents.js';
import type { TaskContext } from './tasks/context.js';
import { DREAM } from './tasks/dream/dream-kind.js';
import type { Dreamer } from './tasks/dream/dreamer.js';
import { type DreamPorts, Dreams } from './tasks/dream/dreams.js';
import { TaskExecutors } from './tasks/executors.js';
import type { TaskExecutor, TaskKind } from './tasks/kind.js';
import { TaskKinds } from './tasks/kinds.js';
import { dueAgain } from './tasks/notice.js';
import { type TaskRegistry, Tasks } from './tasks/tasks.js';
import { Hub } from './topics/hub.js';
import { assertMayFollow } from './topics/topic-access.js';
import { cancelTurns } from './turns/cancel-turns.js';
import { ChannelDrafts } from './turns/channel-drafts.js';
import type { TurnContext } from './turns/context.js';
import { deliveryEnded } from './turns/delivery-ended.js';
import { reopenTurns, resumeTurns } from './turns/look-at.js';
import { openTurn } from './turns/open-turn.js';
import { TurnClock } from './turns/turn-clock.js';
import { Turns } from './turns/turns.js';
import { checkReplay } from './upkeep/replay-check.js';
import { type Retention, Sweeper } from './upkeep/sweep.js';
import {
  scheduleBound,
  scheduleEnded,
  scheduleFired,
  scheduleUnbound,
} from './work/schedule-news.js';
import { ThreadWorks } from './work/works.js';

export interface CorePorts {
  readonly store: Store;
  readonly search: SearchIndex;
  readonly files: AssetFiles;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** From which the keys of browser logins are derived; without it they end with this process. */
  readonly browserKey?: string;
  readonly retention: Retention;
  readonly openScratch: () => Promise<ScratchStore>;
  /** Where defects are told that no caller waits for. */
  readonly report: (error: unknown) => void;
  readonly runtime: RuntimePorts;
}

/** Receives the entries of every commit, in order. Must not throw. */
export type CommitObserver = (entries: readonly LogEntry[]) => void;

/** What agents and their sessions need; without it nothing can be run. */
export interface RuntimePorts {
  readonly daemonId: string;
  /** Whether a daemon of that name was one of this data directory: then it has ended, however lately it was seen. */
  readonly wasHere: (daemonId: string) => boolean;
  readonly timers: Timers;
  readonly calendar: Calendar;
  readonly agentFiles: AgentFiles;
  readonly definitionProblem: DefinitionCheck;
  readonly definitionLack: (definition: AgentDefinition) => Promise<string | undefined>;
  /** Agents that come with Stoa. */
  readonly builtinAgents: () => Promise<Readonly<Record<string, AgentDefinition>>>;
  readonly workspaces: Workspaces;
  /** Agents that people other than the owner may use; `*` is every agent. */
  readonly sharedAgents?: readonly string[];
  readonly memory: MemorySettings & {
    /** Looks back at runs; without it nobody does. */
    readonly extractor?: Extractor | undefined;
    readonly dreams?: Pick<DreamPorts, 'rules' | 'dreamer' | 'counted'> | undefined;
  };
  readonly drivers: ReadonlyMap<DriverKind, Driver>;
  readonly configRules: PermissionRules;
  readonly approvalMs: number;
  readonly diagnose: SessionContext['diagnose'];
  /** Makes what executes each kind of background task, under the name of the kind. */
  readonly taskExecutors: ReadonlyMap<string, (tasks: TaskRegistry) => TaskExecutor>;
  /** Kinds of background tasks besides those that come with Stoa. */
  readonly taskKinds?: readonly TaskKind[];
  /** Part of what was written down of a task; without it nothing is. */
  readonly readTranscript?: ReadTranscript;
  /** Where the files of background tasks are. */
  readonly taskDirectory: string;
  /** The machine and data directory: processes that a daemon here left behind are for the next one here. */
  readonly place: string;
}

export interface Core {
  onCommit(observe: CommitObserver): void;
  /** Lets calls of runs wait for a store that is away. */
  readonly storeWait: StoreWait;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly schedules: Schedules;
  readonly runner: Runner;
  readonly ownership: Ownership;
  readonly sessionTokens: SessionTokens;
  usage(by: Principal, query: UsageQuery, currency?: string): Promise<UsageReport>;
  readonly channels: Channels;
  readonly projects: Projects;
  readonly boards: Boards;
  readonly turns: Turns;
  readonly turnClock: TurnClock;
  readonly stimuli: Stimuli;
  readonly stimulusClock: StimulusClock;
  readonly observations: Observations;
  readonly threadWork: ThreadWorks;
  readonly recovery: Recovery;
  readonly memories: Memories;
  readonly dreams: Dreams;
  readonly afterRuns: AfterRuns;
  readonly tasks: Tasks;
  readonly subAgents: SubAgents;
  readonly assets: Assets;
  readonly credentials: Credentials;
  readonly loginCodes: LoginCodes;
  readonly proofs: Proofs;
  readonly hub: Hub;
  readonly sweeper: Sweeper;
  readTopic(by: Principal, topic: string, after: number, limit: number): Promise<TopicSlice>;
  assertMayFollow(by: Principal, topic: string): Promise<void>;
  /** Throws `forbidden` where the rules of a session keep it from using a tool right away. */
  assertMayUse(by: Principal, asked: Pick<ToolRequest, 'tool' | 'kind'>): Promise<void>;
  /** Throws where a session may not post now: its rules forbid it, or it has the turn in that channel. */
  assertMayPost(by: Principal, channelId: string): Promise<void>;
  /** What a session does in channels outside a run. */
  channelActions(by: Principal): ChannelActions;
  checkIntegrity(): Promise<IntegrityReport>;
}

/** Wires the domain to its ports. */
export function createCore(ports: CorePorts): Core {
  const { store, search, files, clock, ids, secrets } = ports;
  const { runtime } = ports;
  const show: Hub['show'] = (topic, chunk) => {
    hub.show(topic, chunk);
  };
  const drafts = new Drafts(runtime.timers, show);
  const channelDrafts = new ChannelDrafts(runtime.timers, show);
  const hub = new Hub({
    read: (topic, after, limit) => readTopic(store, topic, after, limit),
    report: ports.report,
    drafts: (topic) => [...drafts.soFar(topic), ...channelDrafts.soFar(topic)],
  });
  const observers: CommitObserver[] = [];
  const log = new Log(store, clock, (entries) => {
    hintSearch(search, entries);
    hub.committed(entries);
    channelDrafts.committed(entries);
    approvals.committed(entries);
    runner.committed(entries);
    turnClock.committed(entries);
    stimulusClock.committed(entries);
    tasks.committed(entries);
    subAgents.committed(entries);
    sessionTokens.committed(entries);
    for (const observe of observers) observe(entries);
  });
  const storeWait = new StoreWait({ timers: runtime.timers, clock, tell: runtime.diagnose });
  /** Leaves out failures that an outage of the store causes: the outage itself was reported. */
  const diagnose: SessionContext['diagnose'] = (message, details) => {
    if (!storeWait.outage || !isStoreFailure(details['error'])) runtime.diagnose(message, details);
  };
  const assets = new Assets(store, files, ids, clock);
  const sessionTokens = new SessionTokens(secrets);
  const agents = new Agents({
    store,
    clock,
    files: runtime.agentFiles,
    workspaces: runtime.workspaces,
    problemOf: runtime.definitionProblem,
    lackOf: runtime.definitionLack,
    replaced: async (agentId, before) => {
      try {
        await announceDefinition(context, agentId, before);
      } catch (error) {
        diagnose('a changed definition could not be announced', { agentId, error });
      }
    },
    builtin: runtime.builtinAgents,
  });
  const context: SessionContext = {
    store,
    log,
    storeWait,
    ids,
    secrets,
    clock,
    assets,
    sharedAgents: runtime.sharedAgents ?? [],
    workspaces: runtime.workspaces,
    memory: runtime.memory,
    findAgent: (agentId, workspace) => agents.ready(agentId, workspace),
    capabilities: (kind) => runtime.drivers.get(kind)?.capabilities ?? NO_DRIVER,
    *runEnded(session, runId, end, closing) {
      return [
        ...(yield* deliveryEnded(turnContext, lockForDelivery, session, runId, end)),
        ...(yield* scheduleEnded(stimulusContext, session.sessionId, runId, end)),
        ...(yield* agentRunEnded(taskContext, session, runId, end, closing)),
        ...(yield* dueAgain(session, closing)),
      ];
    },
    isHeldBack: (session) => subAgents.isHeldBack(session),
    approvalMs: runtime.approvalMs,
    diagnose,
  };
  const turnContext: TurnContext = { sessions: context };
  const turns = new Turns(turnContext);
  const turnClock = new TurnClock(turnContext, turns, runtime.timers, () => ownership.showActive());
  const stimulusContext: StimulusContext = { ...turnContext, daemonId: runtime.daemonId };
  const stimuli = new Stimuli(stimulusContext);
  const idle = new IdleThreads(stimulusContext);
  const stimulusClock = new StimulusClock(stimulusContext, stimuli, idle, runtime.timers);
  const { memory: remembering } = runtime;
  const executors = new TaskExecutors();
  const taskContext: TaskContext = {
    ...stimulusContext,
    kinds: new TaskKinds(runtime.taskKinds),
    executors,
    timers: runtime.timers,
    place: runtime.place,
    directory: runtime.taskDirectory,
  };
  const tasks = new Tasks(taskContext);
  const subAgents: SubAgents = new SubAgents(taskContext, tasks, {
    wake: (sessionId) => {
      runner.wake(sessionId);
    },
    idle: (sessionId) => runner.idle(sessionId),
    isAnothers: (session) => ownership.isAnothers(session),
    ...(runtime.readTranscript ? { readTranscript: runtime.readTranscript } : {}),
  });
  const dreams = new Dreams({
    sessions: context,
    tasks,
    timers: runtime.timers,
    rules: remembering.dreams?.rules ?? NO_DREAMS,
    dreamer: remembering.dreams?.dreamer ?? NO_DREAMER,
    counted: remembering.dreams?.counted ?? (() => undefined),
  });
  executors.add(AGENT.kind, subAgents);
  executors.add(DREAM.kind, dreams.executor);
  for (const [kind, create] of runtime.taskExecutors) executors.add(kind, create(tasks));
  const afterRuns = new AfterRuns(context, remembering.extractor, dreams);
  const approvals = new Approvals(context);
  const ownership = new Ownership(context, runtime.daemonId, runtime.wasHere);
  const { timers, drivers, configRules } = runtime;
  const channelContext: ChannelContext = {
    store,
    log,
    ids,
    secrets,
    assets,
    search,
    diagnose: runtime.diagnose,
    openTurn: (channel, posted, at, how) => openTurn(turnContext, channel, posted, at, how),
    resumeTurns: (channel, at) => resumeTurns(turnContext, channel, at),
    reopenTurns: (channel, at) => reopenTurns(turnContext, channel, at),
    cancelTurns: (channel, leases, then, at) => cancelTurns(turnContext, channel, leases, then, at),
    *clearSession(by, sessionId) {
      yield* lockReached(sessionId);
      return yield* cleared(context, yield* sessionToChange(by, sessionId));
    },
  };
  const channels = new Channels(channelContext);
  const sessions = new Sessions(context);
  const schedules = new Schedules({
    context,
    calendar: runtime.calendar,
    threads: {
      bound: scheduleBound,
      unbound: scheduleUnbound,
      fired: (thread, at) => scheduleFired(stimulusContext, thread, at),
    },
  });
  const actors: RunActionServices = {
    storeWait,
    channels,
    sessions,
    stimuli,
    schedules,
    tasks,
    subAgents,
    assets,
    sessionTokens,
  };
  const runner = new Runner({
    context,
    ownership,
    approvals,
    drafts,
    channelDrafts,
    drivers: completing(drivers, (agentId, workspace) =>
      storeWait.run(() => context.findAgent(agentId, workspace)),
    ),
    timers,
    configRules,
    actionsOf: (run) => createRunActions(actors, run),
    completed: (claim) => {
      afterRuns.completed(claim);
    },
  });
  const mayUse: Core['assertMayUse'] = (by, asked) =>
    assertMayUse(store, { configRules, workspaces: runtime.workspaces }, by, asked);
  const accessTokens = new AccessTokens(secrets, clock);
  const browserKey = ports.browserKey ?? secrets.generate();
  const proofs = new Proofs(store, secrets, clock, accessTokens, sessionTokens, browserKey);
  const credentials = new Credentials(store, log, ids, secrets, clock, sessionTokens, accessTokens);
  return {
    onCommit: (observe) => {
      observers.push(observe);
    },
    storeWait,
    agents,
    sessions,
    approvals,
    schedules,
    runner,
    ownership,
    sessionTokens,
    usage: (by, query, currency) => reportUsage(context, by, query, currency),
    channels,
    projects: new Projects(channelContext),
    boards: new Boards(context),
    turns,
    turnClock,
    stimuli,
    stimulusClock,
    observations: new Observations(stimulusContext),
    threadWork: new ThreadWorks(stimulusContext),
    recovery: new Recovery(stimulusContext, stimuli),
    memories: new Memories(store, log, remembering.files, dreams),
    dreams,
    afterRuns,
    tasks,
    subAgents,
    assets,
    credentials,
    loginCodes: new LoginCodes(store, credentials, proofs, secrets, clock),
    proofs,
    hub,
    sweeper: new Sweeper(store, assets, credentials, clock, ports.retention),
    async readTopic(by, topic, after, limit) {
      await assertMayFollow(store, by, topic);
      const slice = await readTopic(store, topic, after, {
        events: limit,
        bytes: LIMITS.pageBytes,
      });
      if (!slice) throw new StoaError('topic_not_found', `There is no topic ${topic}`);
      return slice;
    },
    assertMayFollow: (by, topic) => assertMayFollow(store, by, topic),
    assertMayUse: mayUse,
    assertMayPost: (by, channelId) =>
      assertMayPost(
        { assertMayUse: mayUse, runOf: (sessionId) => runner.contextOf(sessionId) },
        by,
        channelId,
      ),
    channelActions: (by) => createChannelActions(actors, by),
    checkIntegrity: () => checkReplay(store, ports.openScratch),
  };
}

const NO_DREAMS = { isEnabled: false, afterMs: 0, afterSessions: 0 };
const NO_DREAMER: Dreamer = {
  modelProblem: () => Promise.resolve('there is nothing here that could do it'),
  dream: () => Promise.resolve(),
};

/** Nothing is offered to a driver that is not there. */
const NO_DRIVER = { inject: false } as const;

/** A channel that was deleted meanwhile takes nothing any more. */
function* lockForDelivery(channelId: string): Tx<OpenChannel | undefined> {
  const row = yield* lockChannel.first({ channelId, actorId: 'system' });
  return row && { ...row, channelId };
}

function hintSearch(search: SearchIndex, entries: readonly LogEntry[]): void {
  for (const entry of entries) if (entry.topic.startsWith('channel:')) search.hint(entry.topicId);
}
