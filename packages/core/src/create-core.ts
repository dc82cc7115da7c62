import type { IntegrityReport, Principal } from '@stoa/protocol';
import { LIMITS, StoaError } from '@stoa/protocol';
import type { SearchIndex, Store } from '@stoa/store';
import { Credentials } from './access/credentials.js';
import { LoginCodes } from './access/login-codes.js';
import { Assets } from './assets/assets.js';
import { Channels } from './channels/channels.js';
import type { LogEntry } from './log/entry.js';
import { Log } from './log/log.js';
import { readTopic, type TopicSlice } from './log/read-topic.js';
import type { AssetFiles, Clock, Ids, Secrets } from './ports.js';
import { Hub } from './topics/hub.js';
import { assertMayFollow } from './topics/topic-access.js';
import { checkReplay } from './upkeep/replay-check.js';
import { type Retention, Sweeper } from './upkeep/sweep.js';

export interface CorePorts {
  readonly store: Store;
  readonly search: SearchIndex;
  readonly files: AssetFiles;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly retention: Retention;
  readonly openScratch: () => Promise<Store>;
  /** Where defects are told that no caller waits for. */
  readonly report: (error: unknown) => void;
  /** Told how many events each commit held. */
  readonly committed?: (count: number) => void;
}

export interface Core {
  readonly channels: Channels;
  readonly assets: Assets;
  readonly credentials: Credentials;
  readonly loginCodes: LoginCodes;
  readonly hub: Hub;
  readonly sweeper: Sweeper;
  readTopic(by: Principal, topic: string, after: number, limit: number): Promise<TopicSlice>;
  assertMayFollow(by: Principal, topic: string): Promise<void>;
  checkIntegrity(): Promise<IntegrityReport>;
}

/** Wires the domain to its ports. */
export function createCore(ports: CorePorts): Core {
  const { store, search, files, clock, ids, secrets } = ports;
  const hub = new Hub({
    read: (topic, after, limit) => readTopic(store, topic, after, limit),
    report: ports.report,
  });
  const log = new Log(store, clock, (entries) => {
    hintSearch(search, entries);
    hub.committed(entries);
    ports.committed?.(entries.length);
  });
  const assets = new Assets(store, files, ids, clock);
  const credentials = new Credentials(store, log, ids, secrets, clock);
  return {
    channels: new Channels({ store, log, ids, secrets, assets, search }),
    assets,
    credentials,
    loginCodes: new LoginCodes(store, credentials, secrets, clock),
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
    checkIntegrity: () => checkReplay(store, ports.openScratch),
  };
}

function hintSearch(search: SearchIndex, entries: readonly LogEntry[]): void {
  for (const entry of entries) if (entry.topic.startsWith('channel:')) search.hint(entry.topicId);
}
