import type {
  CancelAnswer,
  CreateSession,
  InboxItem,
  Run,
  SendMailboxMessage,
  Session,
  SubmitItem,
  UpdateSession,
} from '@stoa/protocol';
import type { Answer, Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import type { Defaulted } from './defaulted.js';
import type { QueryFor } from './query.js';

export type SessionPage = Answer<'listSessions'>;
export type InboxPage = Answer<'listInbox'>;
export type JournalPage = Answer<'readJournal'>;
export type RunPage = Answer<'listRuns'>;

export interface SessionsApi {
  create(session: CreateSession, options?: KeyedCallOptions): Promise<Session>;
  /** Newest first. */
  list(query?: QueryFor<'listSessions'>, options?: CallOptions): Promise<SessionPage>;
  get(sessionId: string, options?: CallOptions): Promise<Session>;
  update(sessionId: string, change: UpdateSession, options?: CallOptions): Promise<Session>;
  /** Takes over the present definition of its agent; it must be idle. */
  refresh(sessionId: string, options?: CallOptions): Promise<Session>;
  /** Begins with an empty context: cancels what runs, drops what waits, keeps the journal. */
  clear(sessionId: string, options?: CallOptions): Promise<Session>;
  end(sessionId: string, options?: CallOptions): Promise<Session>;
  /** Resolves when the work is on disk and has a run; a retry of a lost answer submits nothing twice. */
  submit(
    sessionId: string,
    item: Defaulted<SubmitItem, 'rule'> | string,
    options?: KeyedCallOptions,
  ): Promise<InboxItem>;
  inbox(
    sessionId: string,
    query?: QueryFor<'listInbox'>,
    options?: CallOptions,
  ): Promise<InboxPage>;
  /** A private message from this session to another. */
  send(
    fromSessionId: string,
    message: SendMailboxMessage,
    options?: KeyedCallOptions,
  ): Promise<InboxItem>;
  journal(
    sessionId: string,
    query?: QueryFor<'readJournal'>,
    options?: CallOptions,
  ): Promise<JournalPage>;
  /** The whole journal, oldest first; a page may be empty before the last one. */
  journalPages(
    sessionId: string,
    query?: QueryFor<'readJournal'>,
    options?: CallOptions,
  ): AsyncIterable<JournalPage>;
  runs(sessionId: string, query?: QueryFor<'listRuns'>, options?: CallOptions): Promise<RunPage>;
}

export interface ItemsApi {
  get(itemId: string, options?: CallOptions): Promise<InboxItem>;
  /** Puts a dead letter back into its inbox. */
  replay(itemId: string, options?: CallOptions): Promise<InboxItem>;
}

export interface RunsApi {
  get(runId: string, options?: CallOptions): Promise<Run>;
  /** One that has ended is left as it is. */
  cancel(runId: string, options?: CallOptions): Promise<CancelAnswer>;
}

export function sessionsApi(call: Caller): SessionsApi {
  const journal: SessionsApi['journal'] = (sessionId, query, options) =>
    call('readJournal', { params: { sessionId }, query, ...options });
  return {
    create: (body, options) => call('createSession', { body, ...options }),
    list: (query, options) => call('listSessions', { query, ...options }),
    get: (sessionId, options) => call('getSession', { params: { sessionId }, ...options }),
    update: (sessionId, body, options) =>
      call('updateSession', { params: { sessionId }, body, ...options }),
    refresh: (sessionId, options) => call('refreshSession', { params: { sessionId }, ...options }),
    clear: (sessionId, options) => call('clearSession', { params: { sessionId }, ...options }),
    end: (sessionId, options) => call('endSession', { params: { sessionId }, ...options }),
    submit: (sessionId, item, options) =>
      call('submitItem', {
        params: { sessionId },
        body: (typeof item === 'string' ? { text: item } : item) as SubmitItem,
        ...options,
      }),
    inbox: (sessionId, query, options) =>
      call('listInbox', { params: { sessionId }, query, ...options }),
    send: (sessionId, body, options) =>
      call('sendMailboxMessage', { params: { sessionId }, body, ...options }),
    journal,
    async *journalPages(sessionId, query, options) {
      let after: number | undefined = query?.after ?? 0;
      while (after !== undefined) {
        const page: JournalPage = await journal(sessionId, { ...query, after }, options);
        yield page;
        after = page.nextAfter;
      }
    },
    runs: (sessionId, query, options) =>
      call('listRuns', { params: { sessionId }, query, ...options }),
  };
}

export function itemsApi(call: Caller): ItemsApi {
  return {
    get: (itemId, options) => call('getItem', { params: { itemId }, ...options }),
    replay: (itemId, options) => call('replayItem', { params: { itemId }, ...options }),
  };
}

export function runsApi(call: Caller): RunsApi {
  return {
    get: (runId, options) => call('getRun', { params: { runId }, ...options }),
    cancel: (runId, options) => call('cancelRun', { params: { runId }, ...options }),
  };
}
