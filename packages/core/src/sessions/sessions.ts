import {
  actorIdOf,
  type CreateSession,
  type Principal,
  type Session,
  type UpdateSession,
} from '@stoa/protocol';
import { listSessions } from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { isOutdated } from '../agents/outdated.js';
import { AFTER_ALL_IDS, readPage } from '../kernel/paging.js';
import { clearSession, endSession, refreshSession, updateSession } from './change-session.js';
import type { SessionContext } from './context.js';
import { createSession, readSession } from './create-session.js';
import { sessionRecord } from './records.js';
import { sessionToRead } from './session-gate.js';

interface SessionQuery {
  readonly agentId?: string | undefined;
  readonly ended: 'exclude' | 'include' | 'only';
  readonly before?: string | undefined;
  readonly limit: number;
}

/** What a caller can do with sessions. `by` is the principal that the credential proved. */
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

  /** Newest first. People see sessions that work for them; the owner sees all. */
  async list(by: Principal, { agentId, ended, before, limit }: SessionQuery) {
    const filter = {
      before: before ?? AFTER_ALL_IDS,
      agentId: agentId ?? null,
      responsibleId: callerClass(by) === 'admin' ? null : actorIdOf(by),
      ended,
    };
    const { rows, resumeAfter } = await this.context.store.read(() =>
      readPage(limit, (count) => listSessions.all({ ...filter, limit: count })),
    );
    return {
      sessions: rows.map(sessionRecord),
      ...(resumeAfter && { nextBefore: resumeAfter.sessionId }),
    };
  }
}
