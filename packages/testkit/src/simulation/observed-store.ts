import {
  type AssetRow,
  type BoundStatement,
  type CredentialRow,
  deleteCredentialsRevokedBefore,
  deleteErasure,
  deleteEventsUpTo,
  deleteIdempotencyKeysBefore,
  deleteUnusedAsset,
  type EventRow,
  insertAsset,
  insertCredential,
  insertEvent,
  insertTopic,
  oneByOne,
  raiseFloor,
  releaseAsset,
  type Store,
  type TransactOptions,
  type Tx,
} from '@stoa/store';
import { type Call, onBehalf, type Upkeep } from './call.js';
import type { Written } from './model/model.js';

/** One attempt of one transaction, which may be incomplete. */
export interface Attempt {
  readonly transaction: object;
  readonly owner: Call | Upkeep | undefined;
  readonly written: Written;
  outcome: { readonly ok: true } | { readonly ok: false; readonly error: unknown } | undefined;
  committed: boolean;
}

/** A defect put into a transaction on purpose. */
export class InjectedDefect extends Error {
  override readonly name = 'InjectedDefect';
}

export interface StoreWatcher {
  attempted(attempt: Attempt): void;
  read(owner: Call | Upkeep | undefined): void;
  /** Called after the commit of a transaction, before its caller is answered. */
  published(topicIds: readonly number[]): void;
  /** Awaited before and after every read. */
  pace(): Promise<void>;
  readonly isPaced: boolean;
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** The store of one daemon, with an observer of its transactions and writes. */
export function observedStore(inner: Store, watcher: StoreWatcher): Store {
  return {
    engine: inner.engine,
    engineVersion: inner.engineVersion,
    schemaVersion: inner.schemaVersion,
    warnings: inner.warnings,
    transact<T>(body: () => Tx<T>, options: TransactOptions<T> = {}): Promise<T> {
      const owner = onBehalf.getStore();
      const transaction = {};
      let last: Attempt | undefined;
      return inner.transact(
        () => {
          last = { transaction, owner, written: nothing(), outcome: undefined, committed: false };
          watcher.attempted(last);
          return attempt(body, last, poisonOf(owner));
        },
        {
          ...options,
          afterCommit: (result) => {
            options.afterCommit?.(result);
            watcher.published(last?.written.events.map(({ topicId }) => topicId) ?? []);
          },
        },
      );
    },
    async read(body) {
      const owner = onBehalf.getStore();
      if (watcher.isPaced) await watcher.pace();
      const answer = inner.read(body);
      watcher.read(owner);
      // Caught here, so that it is no unhandled rejection while the pace is awaited.
      answer.catch(() => undefined);
      if (watcher.isPaced) await watcher.pace();
      return answer;
    },
    exclusively: (name, work) => watcher.exclusively(name, work),
    integrityProblems: () => inner.integrityProblems(),
    backupTo: (path) => inner.backupTo(path),
    close: () => inner.close(),
  };
}

const nothing = (): Written => ({
  events: [],
  topics: [],
  assets: [],
  credentials: [],
  removals: [],
  released: [],
});

function poisonOf(owner: Call | Upkeep | undefined): number | undefined {
  if (!owner) return undefined;
  if ('upkeep' in owner) return owner.isPoisoned ? 1 : undefined;
  return owner.poison;
}

function* attempt<T>(body: () => Tx<T>, record: Attempt, poison: number | undefined): Tx<T> {
  try {
    const tx = oneByOne(body());
    let left = poison ?? Number.POSITIVE_INFINITY;
    for (let step = tx.next(); ; ) {
      if (left <= 0 || (step.done && poison !== undefined)) throw new InjectedDefect();
      if (step.done) {
        record.outcome = { ok: true };
        return step.value;
      }
      left -= 1;
      const result = yield step.value;
      note(record.written, step.value, result);
      step = tx.next(result);
    }
  } catch (error) {
    record.outcome = { ok: false, error };
    throw error;
  }
}

function note(written: Written, { text, params }: BoundStatement, result: unknown): void {
  const values = params as Readonly<Record<string, string | number | null>>;
  switch (text) {
    case insertEvent.text:
      written.events.push(params as unknown as EventRow);
      return;
    case insertAsset.text:
      written.assets.push(params as unknown as AssetRow);
      return;
    case insertCredential.text:
      written.credentials.push({ ...(params as unknown as CredentialRow), revokedAt: null });
      return;
    case insertTopic.text:
      written.topics.push({ id: (result as { id: number }).id, name: values.name as string });
      return;
    case deleteUnusedAsset.text: {
      const count = result as number;
      written.removals.push({ kind: 'asset', assetId: values.assetId as string, count });
      return;
    }
    case deleteIdempotencyKeysBefore.text:
      written.removals.push({ kind: 'keys', before: values.before as number });
      return;
    case deleteCredentialsRevokedBefore.text:
      written.removals.push({ kind: 'credentials', before: values.before as number });
      return;
    case releaseAsset.text:
      if ((result as number) > 0) {
        const { assetId, at } = values as { assetId: string; at: number };
        written.released.push({ assetId, at });
      }
      return;
    case deleteErasure.text:
      if (result === 0) return;
      written.removals.push({ kind: 'channel', topicId: values.topicId as number });
      return;
    case raiseFloor.text:
      written.removals.push({
        kind: 'floor',
        topicId: values.id as number,
        floor: values.floor as number,
      });
      return;
    case deleteEventsUpTo.text:
      written.removals.push({
        kind: 'events',
        topicId: values.topicId as number,
        seq: values.seq as number,
      });
      return;
  }
}
