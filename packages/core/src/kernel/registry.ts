import {
  type EventBody,
  type Principal,
  parseTopic,
  StoaError,
  type TopicKind,
} from '@stoa/protocol';
import type { TableDump, Tx } from '@stoa/store';
import type { Position } from './entry.js';
import {
  type AnyModule,
  type EventType,
  logOnly,
  type Projection,
  type TopicDeclaration,
} from './module.js';

/** The declarations of all modules, by kind of topic and type of event. */
export class Registry {
  readonly #topics = new Map<TopicKind, TopicDeclaration>();
  readonly #projections = new Map<EventType, Projection | typeof logOnly>();
  readonly #tables = new Map<TopicKind, Record<string, TableDump>>();

  /** Throws if two modules declare the same event or topic, or if a module is listed before one it needs. */
  constructor(readonly modules: readonly AnyModule[]) {
    const seen = new Set<AnyModule>();
    for (const module of modules) {
      const missing = module.needs.find((needed) => !seen.has(needed));
      if (missing)
        throw new Error(`${module.name} needs ${missing.name}, which is not listed before it`);
      seen.add(module);
      for (const topic of module.topics) put(this.#topics, topic.kind, topic);
      for (const [type, projection] of Object.entries(module.events)) {
        put(this.#projections, type as EventType, projection as Projection);
      }
      for (const [kind, tables] of Object.entries(module.tables)) {
        const all = this.#tables.get(kind as TopicKind) ?? {};
        this.#tables.set(kind as TopicKind, Object.assign(all, tables));
      }
    }
  }

  get eventTypes(): readonly EventType[] {
    return [...this.#projections.keys()];
  }

  /** Throws for an undeclared type: an event must not be stored without updating its tables. */
  *project(position: Position, event: EventBody): Tx<void> {
    const projection = this.#projections.get(event.type);
    if (projection === undefined) throw new Error(`No module declares the event ${event.type}`);
    if (projection !== logOnly) yield* projection(position, event);
  }

  /** The tables that the events of this topic fill; undefined if there are none. */
  tablesOf(topic: string): Readonly<Record<string, TableDump>> | undefined {
    return this.#tables.get(kindOf(topic));
  }

  isSearched(topic: string): boolean {
    return this.#topics.get(kindOf(topic))?.isSearched === true;
  }

  /** The kinds of topics that keep only their newest events. */
  get trimmedKinds(): readonly TopicKind[] {
    const declared = [...this.#topics.values()];
    return declared.filter(({ retention }) => retention === 'newest').map(({ kind }) => kind);
  }

  *assertMayFollow(by: Principal, topic: string): Tx<void> {
    const parsed = parseTopic(topic);
    const declared = parsed && this.#topics.get(parsed.kind);
    if (!declared) throw new StoaError('topic_not_found', `${topic} is not the name of a topic`);
    const checked = declared.mayFollow(by, parsed.id);
    if (checked) yield* checked;
  }
}

const kindOf = (topic: string): TopicKind => topic.slice(0, topic.indexOf(':')) as TopicKind;

function put<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.has(key)) throw new Error(`${String(key)} is declared by two modules`);
  map.set(key, value);
}
