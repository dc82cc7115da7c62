import { join } from 'node:path';
import { type Core, createCore, idleRuntime, type RuntimePorts } from '@stoa/core';
import { createIds, DiskAssetFiles, secrets } from '@stoa/daemon';
import type { Principal } from '@stoa/protocol';
import {
  openScratchStore,
  openSqliteStore,
  type SearchIndex,
  type SqliteStore,
  type Store,
  ThreadedSearchIndex,
} from '@stoa/store';
import { openDirectory } from './directory.js';
import type { Scope } from './scope.js';

/** The bundle puts the threads beside the programs. */
const SEARCH_THREAD = new URL('./search-thread.js', import.meta.url);

export interface Domain {
  readonly core: Core;
  readonly search: SearchIndex;
}

export interface DomainOptions {
  readonly home: string;
  readonly store: Store;
  /** Without its thread nothing is indexed and nothing is found. */
  readonly search?: 'thread' | 'none';
  /** Without it no session runs. */
  readonly runtime?: Partial<RuntimePorts>;
}

/** The domain wired as the daemon wires it, without HTTP in front. */
export function openDomain(
  scope: Scope,
  { home, store, search: wanted = 'thread', runtime = {} }: DomainOptions,
): Domain {
  const search = wanted === 'thread' ? openSearch(scope, home) : NO_SEARCH;
  const core = createCore({
    runtime: idleRuntime({ timers: TIMERS, ...runtime }),
    store,
    search,
    files: new DiskAssetFiles(join(home, 'assets')),
    clock: { now: Date.now },
    ids: createIds(),
    secrets,
    retention: {
      idempotencyKeyMs: Number.MAX_SAFE_INTEGER,
      revokedCredentialMs: Number.MAX_SAFE_INTEGER,
      unusedAssetMs: Number.MAX_SAFE_INTEGER,
      humanTopicEvents: Number.MAX_SAFE_INTEGER,
    },
    openScratch: () => Promise.resolve(openScratchStore(join(openDirectory(scope), 'replay.db'))),
    report: (error) => {
      console.error(error);
    },
  });
  return { core, search };
}

function openSearch(scope: Scope, home: string): SearchIndex {
  const search = new ThreadedSearchIndex({
    entry: SEARCH_THREAD,
    databasePath: join(home, 'stoa.db'),
    searchPath: join(home, 'search.db'),
  });
  scope.defer(() => search.close());
  return search;
}

const TIMERS: RuntimePorts['timers'] = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

const NO_SEARCH: SearchIndex = {
  search: () => Promise.resolve([]),
  hint: () => undefined,
  settled: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** The database of a data directory, as the daemon opens it. */
export function openStore(scope: Scope, home: string): SqliteStore {
  const store = openSqliteStore(join(home, 'stoa.db'), { durability: 'full' });
  scope.defer(() => store.close());
  return store;
}

/** A channel and the people who are in it. The first of them made it. */
export async function openChannel(
  { credentials, channels }: Core,
  channelId: string,
  count: number,
): Promise<Principal[]> {
  const people: Principal[] = [];
  for (let i = 0; i < count; i++) {
    const { credential } = await credentials.mint({ humanId: `poster-${i}`, name: 'bench' });
    const { humanId: id, credentialId } = credential;
    const person: Principal = { kind: 'human', id, owner: false, credentialId };
    if (i === 0) await channels.create(person, { channelId, title: channelId });
    else await channels.upsertMember(person, channelId, {});
    people.push(person);
  }
  return people;
}
