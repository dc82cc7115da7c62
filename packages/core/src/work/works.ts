import {
  actorIdOf,
  channelTopic,
  type Principal,
  StoaError,
  type ThreadWork,
  type UpdateThreadWork,
} from '@stoa/protocol';
import { listThreadWork, openSession, type Tx } from '@stoa/store';
import {
  assertNotArchived,
  channelToRead,
  channelToSpeakIn,
  type JoinedChannel,
} from '../channels/channel-gate.js';
import { existingMessage } from '../channels/thread.js';
import { defined } from '../kernel/defined.js';
import { defineHook } from '../kernel/hooks.js';
import type { Decision, NewEvent } from '../kernel/log.js';
import { admitMetadata } from '../kernel/metadata.js';
import { AFTER_ALL_IDS, readPage } from '../kernel/paging.js';
import type { SessionContext } from '../sessions/context.js';
import { findWork, workChanged, workIn, workOf } from './read-work.js';
import { isLower, raised } from './status.js';

export interface WorkQuery {
  readonly state: 'open' | 'all';
  readonly threadRootMessageId?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A person reviewed or superseded the work of a thread: a handler adds a notice to the thread in the same commit. */
export const WORK_NEWS = defineHook<
  [
    channel: JoinedChannel,
    news: {
      readonly kind: 'review_completed' | 'supersession_notice';
      readonly threadRootMessageId: string;
      readonly content: string;
      readonly dedupeKey: string;
    },
    at: number,
  ],
  Tx<readonly NewEvent[]>
>('work news');

export class ThreadWorks {
  constructor(private readonly context: SessionContext) {}

  /** Newest thread first. */
  list(by: Principal, channelId: string, query: WorkQuery) {
    const { threadRootMessageId, before = AFTER_ALL_IDS, limit } = query;
    return this.context.store.read(function* () {
      const { topicId } = yield* channelToRead(by, channelId);
      if (threadRootMessageId !== undefined) {
        const one = yield* findWork(topicId, threadRootMessageId);
        return { work: one ? [one] : [] };
      }
      const filter = { topicId, open: query.state === 'open' ? 1 : 0, before };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listThreadWork.all({ ...filter, limit: count }),
      );
      return {
        work: rows.map(workOf),
        ...(resumeAfter && { nextBefore: resumeAfter.rootMessageId }),
      };
    });
  }

  /** A review or supersession is also reported in the thread, in the same commit. */
  async update(
    by: Principal,
    channelId: string,
    rootMessageId: string,
    request: UpdateThreadWork,
  ): Promise<ThreadWork> {
    const { context } = this;
    if (Object.keys(request).length === 0) {
      throw new StoaError('invalid_request', 'Nothing to change', [
        { path: 'body', message: 'at least one field' },
      ]);
    }
    const metadata = request.metadata === undefined ? undefined : admitMetadata(request.metadata);
    return context.log.write({
      actor: actorIdOf(by),
      lane: channelTopic(channelId),
      open: () => channelToSpeakIn(by, channelId),
      *decide(channel, at): Tx<Decision<ThreadWork>> {
        assertNotArchived(channel);
        yield* existingMessage(channel.topicId, rootMessageId);
        const before = yield* workIn(channel, rootMessageId, at);
        if (!before) {
          throw new StoaError('work_not_found', `${rootMessageId} is not the root of a thread`);
        }
        // A request that only clears the owner must not create work.
        if (onlyFreesOwner(request) && !(yield* findWork(channel.topicId, rootMessageId))) {
          throw new StoaError('work_not_found', `There is no work in ${rootMessageId}`);
        }
        yield* assertReferencesExist(channel, request);
        const changed = changedWork(before, request, by, at);
        const work = metadata === undefined ? changed : { ...changed, metadata };
        const events: NewEvent[] = [workChanged('person', work)];
        events.push(...(yield* noticesOf(context, channel, work, request, at)));
        return { events, answer: () => work };
      },
    });
  }
}

const onlyFreesOwner = ({ ownerSessionId, ...rest }: UpdateThreadWork): boolean =>
  ownerSessionId === null && Object.keys(rest).length === 0;

function* assertReferencesExist(
  { topicId }: JoinedChannel,
  { supersededByMessageId, ownerSessionId }: UpdateThreadWork,
): Tx<void> {
  if (supersededByMessageId !== undefined) yield* existingMessage(topicId, supersededByMessageId);
  if (typeof ownerSessionId !== 'string') return;
  if (yield* openSession.first({ sessionId: ownerSessionId })) return;
  throw new StoaError('session_not_found', `There is no session ${ownerSessionId}`);
}

function changedWork(
  before: ThreadWork,
  request: UpdateThreadWork,
  by: Principal,
  at: number,
): ThreadWork {
  const { status, reopen = false, review, supersededByMessageId, ownerSessionId } = request;
  const asked = supersededByMessageId === undefined ? status : (status ?? 'superseded');
  if (asked !== undefined && isLower(asked, before.status) && !reopen) {
    throw new StoaError(
      'status_regression',
      `The work is ${before.status}; to make it ${asked} again, reopen it`,
    );
  }
  if (reopen && asked === undefined) {
    throw new StoaError('invalid_request', 'Reopening needs a status', [
      { path: 'body.status', message: 'is required with reopen' },
    ]);
  }
  const { ownerSessionId: owner, ...rest } = before;
  const nextOwner = ownerSessionId === undefined ? owner : (ownerSessionId ?? undefined);
  const now = asked ?? before.status;
  return {
    ...rest,
    ...defined({ ownerSessionId: nextOwner, supersededByMessageId }),
    status: review ? raised(now, 'reviewing') : now,
    ...(reopen ? { reopenedAt: at } : {}),
    ...(review ? { review: { ...review, by: actorIdOf(by), at } } : {}),
    lastSignalAt: at,
  };
}

function* noticesOf(
  context: SessionContext,
  channel: JoinedChannel,
  { threadRootMessageId, supersededByMessageId }: ThreadWork,
  { review, ...request }: UpdateThreadWork,
  at: number,
): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  if (review) {
    const { verdict, note } = review;
    const suffix = note === undefined ? '' : `: ${note}`;
    // A message that begins with a name would address that member.
    const content = `Reviewed by ${channel.memberName}, ${verdict.replace('_', ' ')}${suffix}`;
    const dedupeKey = `review:${threadRootMessageId}`;
    const news = { kind: 'review_completed' as const, threadRootMessageId, content, dedupeKey };
    events.push(...(yield* context.hooks.collect(WORK_NEWS, channel, news, at)));
  }
  if (request.supersededByMessageId !== undefined || request.status === 'superseded') {
    const by = supersededByMessageId === undefined ? '' : ` by ${supersededByMessageId}`;
    const content = `Closed as superseded${by}, by ${channel.memberName}.`;
    const dedupeKey = `superseded:${threadRootMessageId}`;
    const news = { kind: 'supersession_notice' as const, threadRootMessageId, content, dedupeKey };
    events.push(...(yield* context.hooks.collect(WORK_NEWS, channel, news, at)));
  }
  return events;
}
