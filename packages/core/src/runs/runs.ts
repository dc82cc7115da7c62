import {
  JOURNAL_EVENTS,
  LIMITS,
  type Principal,
  type Run,
  sessionTopic,
  type UsageQuery,
  type UsageReport,
} from '@stoa/protocol';
import { findRunRow, listItemsOfRun, listRunsOfSession, type Tx } from '@stoa/store';
import { parseEntry } from '../kernel/entry.js';
import { readPage } from '../kernel/paging.js';
import { readTopic } from '../kernel/read-topic.js';
import type { SessionContext } from '../sessions/context.js';
import { runRecord } from '../sessions/records.js';
import { sessionToRead } from '../sessions/session-gate.js';
import { cancelRun, readRun } from './cancel-run.js';
import { reportUsage } from './usage.js';

/** What a caller can do with the runs of sessions. `by` is the principal that the credential proved. */
export class Runs {
  constructor(private readonly context: SessionContext) {}

  list(
    by: Principal,
    sessionId: string,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ) {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const last = before === undefined ? undefined : yield* findRunRow.first({ runId: before });
      const filter = { topicId, before: last?.seq ?? Number.MAX_SAFE_INTEGER };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listRunsOfSession.all({ ...filter, limit: count }),
      );
      const runs: Run[] = [];
      for (const row of rows) runs.push(runRecord(row, yield* itemIdsOf(row.runId)));
      return { runs, ...(resumeAfter && { nextBefore: resumeAfter.runId }) };
    });
  }

  async get(by: Principal, runId: string): Promise<Run> {
    const run = await readRun(this.context, runId);
    await this.context.store.read(() => sessionToRead(by, run.sessionId));
    return run;
  }
  cancel(by: Principal, runId: string) {
    return cancelRun(this.context, by, runId, 'cancel_command');
  }

  /** The inputs, messages and actions of an agent, oldest first. */
  async journal(
    by: Principal,
    sessionId: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ) {
    await this.context.store.read(() => sessionToRead(by, sessionId));
    const topic = sessionTopic(sessionId);
    const slice = await readTopic(this.context.store, topic, after, {
      events: limit,
      bytes: LIMITS.pageBytes,
    });
    const read = slice?.entries ?? [];
    const last = read.at(-1)?.seq;
    const isMore = last !== undefined && last < (slice?.head ?? 0);
    return {
      entries: read.filter(({ type }) => JOURNALED.has(type)).map(parseEntry),
      ...(isMore ? { nextAfter: last } : {}),
    };
  }

  usage(by: Principal, query: UsageQuery, currency?: string): Promise<UsageReport> {
    return reportUsage(this.context, by, query, currency);
  }
}

const JOURNALED: ReadonlySet<string> = new Set(JOURNAL_EVENTS);

function* itemIdsOf(runId: string): Tx<string[]> {
  return (yield* listItemsOfRun.all({ runId })).map(({ itemId }) => itemId);
}
