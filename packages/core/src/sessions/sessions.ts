import {
  actorIdOf,
  type CreateSession,
  type InboxItem,
  type InboxItemState,
  JOURNAL_EVENTS,
  LIMITS,
  type Principal,
  type Run,
  type SendMailboxMessage,
  type Session,
  type SubmitItem,
  sessionTopic,
  type UpdateSession,
  type WorkKind,
} from '@stoa/protocol';
import {
  findRunRow,
  listInboxItems,
  listItemsOfRun,
  listRunsOfSession,
  listSessions,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { sessionToRead } from '../access/session-gate.js';
import { isOutdated } from '../agents/outdated.js';
import { parseEntry } from '../log/entry.js';
import { readTopic } from '../log/read-topic.js';
import { cancelRun, readRun } from './cancel-run.js';
import { clearSession, endSession, refreshSession, updateSession } from './change-session.js';
import type { SessionContext } from './context.js';
import { createSession, readSession } from './create-session.js';
import { itemRecord, runRecord, sessionRecord } from './records.js';
import { getItem, replayItem, sendMailboxMessage, submitItem } from './submit.js';

const AFTER_ALL_IDS = '~';

interface SessionQuery {
  readonly agentId?: string | undefined;
  readonly ended: 'exclude' | 'include' | 'only';
  readonly before?: string | undefined;
  readonly limit: number;
}

interface InboxQuery {
  readonly state?: InboxItemState | undefined;
  readonly kind?: WorkKind | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Everything a caller can do with sessions; `by` is the principal the credential proved. */
export class Sessions {
  constructor(private readonly context: SessionContext) {}

  create(by: Principal, request: CreateSession, key?: string): Promise<Session> {
    return createSession(this.context, by, request, key);
  }
  async get(by: Principal, sessionId: string): Promise<Session> {
    const { findAgent, store } = this.context;
    const { agentId, workspace, persona, endedAt } = await store.read(() =>
      sessionToRead(by, sessionId),
    );
    const { definition } = persona;
    const definitionChanged =
      endedAt === null && (await isOutdated(findAgent, { agentId, workspace, definition }));
    const session = await readSession(this.context, sessionId);
    return { ...session, definitionChanged };
  }
  update(by: Principal, sessionId: string, request: UpdateSession): Promise<Session> {
    return updateSession(this.context, by, sessionId, request);
  }
  refresh(by: Principal, sessionId: string): Promise<Session> {
    return refreshSession(this.context, by, sessionId);
  }
  clear(by: Principal, sessionId: string): Promise<Session> {
    return clearSession(this.context, by, sessionId);
  }
  end(by: Principal, sessionId: string): Promise<Session> {
    return endSession(this.context, by, sessionId);
  }

  /** Newest first; people see those that work for them, the owner sees all. */
  async list(by: Principal, { agentId, ended, before, limit }: SessionQuery) {
    const rows = await this.context.store.read(() =>
      listSessions.all({
        before: before ?? AFTER_ALL_IDS,
        agentId: agentId ?? null,
        responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
        ended,
        limit: limit + 1,
      }),
    );
    const sessions = rows.slice(0, limit).map(sessionRecord);
    const nextBefore = rows.length > limit ? sessions.at(-1)?.sessionId : undefined;
    return { sessions, ...(nextBefore === undefined ? {} : { nextBefore }) };
  }

  submit(by: Principal, sessionId: string, request: SubmitItem, key?: string): Promise<InboxItem> {
    return submitItem(this.context, by, sessionId, request, key);
  }
  sendMessage(
    by: Principal,
    fromSessionId: string,
    request: SendMailboxMessage,
    key?: string,
  ): Promise<InboxItem> {
    return sendMailboxMessage(this.context, by, fromSessionId, request, key);
  }
  item(by: Principal, itemId: string): Promise<InboxItem> {
    return getItem(this.context, by, itemId);
  }
  replay(by: Principal, itemId: string): Promise<InboxItem> {
    return replayItem(this.context, by, itemId);
  }

  inbox(by: Principal, sessionId: string, { state, kind, before, limit }: InboxQuery) {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const rows = yield* listInboxItems.all({
        topicId,
        before: before ?? Number.MAX_SAFE_INTEGER,
        state: state ?? null,
        kind: kind ?? null,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const nextBefore = rows.length > limit ? shown.at(-1)?.seq : undefined;
      return {
        items: shown.map(itemRecord),
        ...(nextBefore === undefined ? {} : { nextBefore }),
      };
    });
  }

  runs(
    by: Principal,
    sessionId: string,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ) {
    return this.context.store.read(function* () {
      const { topicId } = yield* sessionToRead(by, sessionId);
      const last = before === undefined ? undefined : yield* findRunRow.first({ runId: before });
      const rows = yield* listRunsOfSession.all({
        topicId,
        before: last?.seq ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
      });
      const runs: Run[] = [];
      for (const row of rows.slice(0, limit))
        runs.push(runRecord(row, yield* itemIdsOf(row.runId)));
      const nextBefore = rows.length > limit ? runs.at(-1)?.runId : undefined;
      return { runs, ...(nextBefore === undefined ? {} : { nextBefore }) };
    });
  }

  async run(by: Principal, runId: string): Promise<Run> {
    const run = await readRun(this.context, runId);
    await this.context.store.read(() => sessionToRead(by, run.sessionId));
    return run;
  }
  cancelRun(by: Principal, runId: string) {
    return cancelRun(this.context, by, runId, 'cancel_command');
  }

  /** Oldest first: what was put to the agent, what it said and did. */
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
}

const JOURNALED: ReadonlySet<string> = new Set(JOURNAL_EVENTS);

function* itemIdsOf(runId: string): Tx<string[]> {
  return (yield* listItemsOfRun.all({ runId })).map(({ itemId }) => itemId);
}
