import { LIMITS, type Principal, parseTopic, StoaError } from '@stoa/protocol';
import type { AppendedEntry, LogEntry } from './entry.js';
import { Hooks } from './hooks.js';
import { Hub } from './hub.js';
import type { Diagnose, Kernel, KernelPorts } from './kernel.js';
import { Log } from './log.js';
import type {
  AllServicesOf,
  AnyModule,
  Committed,
  EventType,
  Instance,
  PortsOf,
  Reaction,
  Reactions,
  Sweeps,
  Tick,
} from './module.js';
import { readTopic, type TopicSlice } from './read-topic.js';
import { Registry } from './registry.js';
import { checkReplay } from './replay-check.js';
import { isStoreFailure, StoreWait } from './store-wait.js';
import { Sweeper } from './sweep.js';

/** Receives the entries of every commit, in order. */
type CommitObserver = (entries: readonly LogEntry[]) => void;

/** What the daemon does with all modules together. */
export interface Assembly {
  onCommit(observe: CommitObserver): void;
  readonly hub: Hub;
  readonly storeWait: StoreWait;
  readonly sweeper: Sweeper;
  readTopic(by: Principal, topic: string, after: number, limit: number): Promise<TopicSlice>;
  assertMayFollow(by: Principal, topic: string): Promise<void>;
  checkIntegrity(): ReturnType<typeof checkReplay>;
  /** Another daemon wrote to this topic, or to any topic. */
  hint(topic: string | undefined): void;
  /** Continues what the last daemon left, in the order of the modules, before anybody can call. */
  recover(): Promise<void>;
  /** Starts the modules in their order, once callers are served. */
  start(): Promise<void>;
  readonly ticks: readonly Tick[];
  /** Runs all regular work once. */
  tick(): Promise<void>;
  /** Closes the modules in the reverse order. A failure is reported, and the others are closed too. */
  close(): Promise<void>;
}

/**
 * Creates each module with the services of those it needs, and connects the log to what they declare. Hooks, reactions
 * to commits, recovery and start run in the order of the list, closing in the reverse order.
 */
export function assemble<const Modules extends readonly AnyModule[], Ports extends KernelPorts>(
  modules: Modules,
  ports: Ports & (Ports extends PortsOf<Modules> ? unknown : 'a module needs another port'),
): Assembly & AllServicesOf<Modules> {
  const { store, search, clock, timers, ids, secrets } = ports;
  const registry = new Registry(modules);
  const hooks = new Hooks();
  const instances: Instance<object>[] = [];
  const reactions: ModuleReactions[] = [];
  const observers: CommitObserver[] = [];
  const hub = new Hub({
    read: (topic, after, limit) => readTopic(store, topic, after, limit),
    report: ports.report,
    drafts: (topic) => instances.flatMap((instance) => instance.drafts?.(topic) ?? []),
  });
  const log = new Log(
    store,
    clock,
    (position, event) => registry.project(position, event),
    (entries) => {
      for (const { topic, topicId } of entries)
        if (registry.isSearched(topic)) search.hint(topicId);
      hub.committed(entries);
      for (const one of reactions) react(one, entries, ports.report);
      for (const observe of observers) {
        try {
          observe(entries);
        } catch (error) {
          ports.report(error);
        }
      }
    },
  );
  const storeWait = new StoreWait({ timers, clock, diagnose: ports.diagnose });
  /** Leaves out failures that an outage of the store causes: the outage itself is reported once. */
  const diagnose: Diagnose = (message, details) => {
    if (!storeWait.outage || !isStoreFailure(details['error'])) ports.diagnose(message, details);
  };
  const kernel: Kernel = {
    store,
    search,
    clock,
    timers,
    ids,
    secrets,
    log,
    hub,
    hooks,
    storeWait,
    diagnose,
  };
  const created = new Map<AnyModule, object>();
  const all: object = {};
  for (const module of modules) {
    const needed = module.needs.map((needs) => created.get(needs));
    // The registry checked that the modules it needs were created before it.
    const create = module.create as (given: object, ports: object) => Instance<object>;
    const instance = create(Object.assign({}, kernel, ...needed) as object, ports);
    const taken = Object.keys(instance.services).find((name) => name in all || name in kernel);
    if (taken !== undefined)
      throw new Error(`${module.name} offers ${taken}, which another module has`);
    created.set(module, instance.services);
    Object.assign(all, instance.services);
    instances.push(instance);
    hooks.add(instance.within ?? []);
    if (instance.after) reactions.push({ module: module.name, after: instance.after });
  }
  const assertMayFollow = (by: Principal, topic: string): Promise<void> =>
    store.read(() => registry.assertMayFollow(by, topic));
  const ticks = instances.flatMap((instance) => instance.ticks ?? []);
  const assembly: Assembly = {
    onCommit(observe) {
      observers.push(observe);
    },
    hub,
    storeWait,
    sweeper: new Sweeper(registry, store, clock, ports.retention, () =>
      instances.reduce<Sweeps>((sweeps, instance) => ({ ...sweeps, ...instance.sweeps }), {}),
    ),
    async readTopic(by, topic, after, limit) {
      await assertMayFollow(by, topic);
      const page = { events: limit, bytes: LIMITS.pageBytes };
      const slice = await readTopic(store, topic, after, page);
      if (!slice) throw new StoaError('topic_not_found', `There is no topic ${topic}`);
      return slice;
    },
    assertMayFollow,
    checkIntegrity: () => checkReplay(registry, store, ports.openScratch),
    hint(topic) {
      hub.hint(topic);
      const parsed = topic === undefined ? undefined : parseTopic(topic);
      if (topic !== undefined && !parsed) return;
      for (const instance of instances) instance.hint?.(parsed);
    },
    async recover() {
      for (const instance of instances) await instance.recover?.();
    },
    async start() {
      for (const instance of instances) await instance.start?.();
      for (const { run, runsAtStart = false } of ticks) {
        if (!runsAtStart) continue;
        try {
          await run();
        } catch (error) {
          diagnose('regular work failed at the start', { error });
        }
      }
    },
    ticks,
    async tick() {
      for (const { run } of ticks) await run();
    },
    async close() {
      for (const instance of instances.toReversed()) {
        try {
          await instance.close?.();
        } catch (error) {
          ports.report(error);
        }
      }
    },
  };
  // `all` holds the services of all modules.
  return Object.assign(all, assembly) as Assembly & AllServicesOf<Modules>;
}

interface ModuleReactions {
  readonly module: string;
  readonly after: Reactions;
}

/** A reaction that throws is reported. The caller gets its answer, and all other reactions run. */
function react(
  { module, after }: ModuleReactions,
  entries: readonly AppendedEntry[],
  report: KernelPorts['report'],
): void {
  for (const entry of entries) {
    const reaction = after[entry.type as EventType] as Reaction | undefined;
    try {
      // The entry carries the event it was made from, so its type and data belong together.
      reaction?.(entry as unknown as Committed, entries);
    } catch (cause) {
      const { topic, seq, type } = entry;
      const what = `${module} failed to react to ${type}, event ${String(seq)} of ${topic}`;
      report(new Error(what, { cause }));
    }
  }
}
