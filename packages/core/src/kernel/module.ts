import type { EventBody, Principal, Stamped, TopicKind } from '@stoa/protocol';
import type { TableDump, Tx } from '@stoa/store';
import type { AppendedEntry, Position } from './entry.js';
import type { Handler } from './hooks.js';
import type { Kernel } from './kernel.js';
import type { Ephemeral } from './reader.js';

export type EventType = EventBody['type'];
export type EventOf<T extends EventType> = Extract<EventBody, { type: T }>;

/** An event that was just committed. Its data is the decided object, not parsed JSON. */
export type Committed<T extends EventType = EventType> = Stamped<EventOf<T>>;

/**
 * Updates the tables of a topic with one event. It decides nothing and reads only those tables, so that a replay of the log
 * results in the same tables.
 */
export type Projection<T extends EventType = EventType> = (
  position: Position,
  event: EventOf<T>,
) => Tx<void>;

/** The event types of a module. `logOnly` marks events that change no table. */
export type Projections = { readonly [T in EventType]?: Projection<T> | typeof logOnly };
export const logOnly = Symbol('an event that changes no table');

/** A reaction to a committed event. `commit` are all entries of its commit. If it throws, the error is reported. */
export type Reaction<T extends EventType = EventType> = (
  event: Committed<T>,
  commit: readonly AppendedEntry[],
) => void;

export type Reactions = { readonly [T in EventType]?: Reaction<T> };

/** A kind of topic and who may follow it. */
export interface TopicDeclaration {
  readonly kind: TopicKind;
  /** Throws `forbidden`, or the `not_found` error of its noun. */
  readonly mayFollow: (by: Principal, id: string) => Tx<unknown> | undefined;
  /** Permanent topics are the source of truth. Other topics keep only their newest events. */
  readonly retention: 'permanent' | 'newest';
  /** The search index reads it. */
  readonly isSearched?: boolean;
}

/** Called before each transaction: whether there is time for one more. */
export type KeepGoing = () => boolean;

/** Regular work of a module. A failure is reported, and the work is repeated at its next time. */
export interface Tick {
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** Also runs once when all modules have started. */
  readonly runsAtStart?: boolean;
}

/** A created module: its services, and what it does while the daemon runs. */
export interface Instance<Services extends object> {
  readonly services: Services;
  /** Reactions inside a transaction, to hooks of the modules it needs. */
  readonly within?: readonly Handler[];
  /** Reactions after a commit. */
  readonly after?: Reactions;
  /** Another daemon wrote to this topic, or to any topic. Must not throw. */
  readonly hint?: (topic: { readonly kind: TopicKind; readonly id: string } | undefined) => void;
  /** Continues what the last daemon left, before anybody can call. */
  readonly recover?: () => Promise<unknown>;
  /** Begins to work, once callers are served. */
  readonly start?: () => Promise<unknown>;
  readonly ticks?: readonly Tick[];
  /** Text on a topic that is still being written. Late subscribers receive it. */
  readonly drafts?: (topic: string) => readonly Ephemeral[];
  readonly sweeps?: Sweeps;
  /** Stops working. Modules that need this one have stopped already. */
  readonly close?: () => void | Promise<void>;
}

/** What a sweep removes, by name, at most `chunk` rows in a transaction. Resolves with the number of rows. */
export type Sweeps = Readonly<
  Record<string, (keepGoing: KeepGoing, chunk: number) => Promise<number>>
>;

// Parameters are contravariant: every module is assignable to one that receives `never`.
export type AnyModule = Module<string, object, never, never>;

export interface Module<Name extends string, Services extends object, Given, Ports> {
  readonly name: Name;
  /** The only modules whose code it may import. Checked by the linter, and acyclic. */
  readonly needs: readonly AnyModule[];
  readonly topics: readonly TopicDeclaration[];
  readonly events: Projections;
  /** The tables that its events fill, by kind of topic. The integrity check compares them with a replay of the log. */
  readonly tables: { readonly [K in TopicKind]?: Readonly<Record<string, TableDump>> };
  readonly create: (given: Given, ports: Ports) => Instance<Services>;
}

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (
  value: infer I,
) => void
  ? I
  : never;

type ServicesOf<M> =
  M extends Module<string, infer Services, infer _Given, infer _Ports> ? Services : never;

/** The services of a list of modules in one record. */
export type AllServicesOf<M extends readonly AnyModule[]> = M extends readonly []
  ? object
  : Intersection<ServicesOf<M[number]>>;

/** The ports that a list of modules needs together. */
export type PortsOf<M extends readonly AnyModule[]> = Intersection<
  M[number] extends infer One
    ? One extends { create: (given: never, ports: infer P) => unknown }
      ? P
      : never
    : never
>;

/**
 * Declares a module. `create` receives the kernel and the services of the modules it needs in one record, and the ports
 * of the daemon.
 */
export function defineModule<
  const Name extends string,
  const Needs extends readonly AnyModule[],
  Services extends object,
  Ports extends object = object,
>(
  declaration: Pick<
    Module<Name, Services, Kernel & AllServicesOf<Needs>, Ports>,
    'name' | 'create'
  > & {
    readonly needs: Needs;
  } & Partial<Pick<AnyModule, 'topics' | 'events' | 'tables'>>,
): Module<Name, Services, Kernel & AllServicesOf<Needs>, Ports> {
  return { topics: [], events: {}, tables: {}, ...declaration };
}

/** Each module after those it needs; otherwise by their names, so that the order is always the same. */
export function inOrderOfNeeds<M extends AnyModule>(modules: readonly M[]): readonly M[] {
  const ordered: M[] = [];
  const waiting = [...modules].sort((a, b) => (a.name < b.name ? -1 : 1));
  while (waiting.length > 0) {
    const isReady = ({ needs }: M): boolean =>
      needs.every((needed) => !waiting.some(({ name }) => name === needed.name));
    ordered.push(...waiting.splice(waiting.findIndex(isReady), 1));
  }
  return ordered;
}
