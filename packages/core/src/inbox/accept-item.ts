import {
  type Ceiling,
  type ChannelDelivery,
  type DispatchRule,
  LIMITS,
  type Metadata,
  type Origin,
  type RunStatus,
  type SessionEvent,
  StoaError,
  type StoredItem,
  type WorkKind,
} from '@stoa/protocol';
import {
  countItemsOfRun,
  countQueuedRuns,
  countWaitingItems,
  findFirstItemOfRun,
  findQueuedRun,
  listQueuedRuns,
  type RunRow,
  type Tx,
  together,
} from '@stoa/store';
import { isNoLower, isSameCeiling } from '../authority/ceiling.js';
import { scopeOfChannel } from '../channels/channel-scope.js';
import { decode } from '../kernel/codec.js';
import type { NewEvent } from '../kernel/log.js';
import { stableJson } from '../kernel/stable-json.js';
import { viewOf } from '../memory/view.js';
import { endRun } from '../runs/end-run.js';
import { ceilingOf } from '../sessions/ceiling-of.js';
import type { SessionContext } from '../sessions/context.js';
import { policyOf } from '../sessions/policy-of.js';
import {
  factsOf,
  inSession,
  type Requested,
  requestedIn,
  requestedOfRun,
  type Work,
  workOfRun,
} from '../sessions/run-facts.js';
import { assertNotEnded, type OpenSession } from '../sessions/session-gate.js';
import { admit, DEFAULT_PRIORITY, URGENT_PRIORITY } from './admit.js';

/** An item to be accepted into the inbox of a session. */
export interface Arrival {
  readonly kind: WorkKind;
  readonly rule: DispatchRule;
  readonly priority?: number | undefined;
  readonly from: string;
  readonly fromName: string;
  readonly subject?: string | undefined;
  readonly inputItems: readonly StoredItem[];
  readonly origin: Origin;
  readonly expiresAt?: number | undefined;
  readonly metadata: Metadata;
  /** The actor that wrote the content, if it is not `from`. */
  readonly requestedBy?: string | undefined;
  /** The ceiling under which the content was written. */
  readonly ceiling?: Ceiling | undefined;
  /** For a turn in a channel. */
  readonly delivery?: ChannelDelivery | undefined;
}

type Accepted = Extract<SessionEvent, { type: 'accepted' }>['data'];

/** The result of accepting an item. The first event is the one that accepts it. */
interface Acceptance {
  readonly events: readonly NewEvent[];
  readonly runId: string;
  readonly requested: Requested;
}

/**
 * Accepts an item as `admit` decides. The item, its run and the cancellations it causes are one commit, so every waiting
 * item has a run.
 */
export function* acceptItem(
  context: SessionContext,
  session: OpenSession,
  arrival: Arrival,
): Tx<Acceptance> {
  assertNotEnded(session);
  const { kind, rule, origin, requestedBy } = arrival;
  const [, scoped, ceiling] = yield* together(
    assertRoom(session),
    workOf(origin),
    ceilingOf(session, { by: requestedBy ?? arrival.from, ceiling: arrival.ceiling }),
  );
  const work: Work = { ...scoped, requestedBy, ceiling };
  const { admission, applied } = admit(rule, {
    active: activeOf(session),
    driver: { inject: yield* canInject(context, session, work) },
  });
  const joined = admission === 'join' ? yield* findRunToJoin(session, arrival, work) : undefined;
  const runId = joined ?? (admission === 'inject' ? activeRunId(session) : context.ids.next('run'));
  const isUrgent = admission === 'replace' || admission === 'preempt';
  const priority = arrival.priority ?? (isUrgent ? URGENT_PRIORITY : DEFAULT_PRIORITY[kind]);
  const facts = factsOf(session, runId, work);
  const accepted: Accepted = {
    itemId: context.ids.next('itm'),
    kind,
    rule,
    appliedRule: applied,
    priority,
    from: arrival.from,
    fromName: arrival.fromName,
    ...(arrival.subject === undefined ? {} : { subject: arrival.subject }),
    inputItems: [...arrival.inputItems],
    ...(arrival.expiresAt === undefined ? {} : { expiresAt: arrival.expiresAt }),
    ...(arrival.delivery === undefined ? {} : { delivery: arrival.delivery }),
    metadata: arrival.metadata,
    ...requestedIn(work),
    ...facts,
  };
  const events: NewEvent[] = [inSession(session, { type: 'accepted', data: accepted })];
  if (admission === 'replace') events.push(...(yield* supersede(context, session)));
  if (isUrgent && session.activeRunId !== null) {
    const reason = admission === 'replace' ? 'steer' : 'superseded';
    events.push(
      ...(yield* endRun(context, session, session.activeRunId, { type: 'cancelled', reason })),
    );
  }
  if (joined === undefined && admission !== 'inject') {
    const data = { kind, rule: applied, priority, ...requestedOfRun(work, arrival.from), ...facts };
    events.push(inSession(session, { type: 'queued', data }));
  }
  return { events, runId, requested: requestedOfRun(work, arrival.from) };
}

/** Work for a channel has the identity and memory scope of the channel. */
function* workOf(origin: Origin): Tx<Work> {
  const { channelId } = origin;
  const scope = channelId === undefined ? undefined : yield* scopeOfChannel(channelId);
  if (!scope) return { origin };
  const { identity, memoryScope, hasIdentity } = scope;
  return { origin, memoryScope, ...(hasIdentity ? { identity } : {}) };
}

export function* assertRoom(session: OpenSession): Tx<void> {
  const why = yield* whyFull(session);
  if (why !== undefined) throw new StoaError('inbox_full', why);
}

/** Undefined when there is room for one more item. */
export function* whyFull({ topicId, sessionId }: OpenSession): Tx<string | undefined> {
  const [runs, items] = yield* together(
    countQueuedRuns.first({ topicId }),
    countWaitingItems.first({ topicId, kind: null }),
  );
  const queued = runs?.count ?? 0;
  if (queued >= LIMITS.queuedRunsPerSession) return `${String(queued)} runs wait for ${sessionId}`;
  const waiting = items?.count ?? 0;
  if (waiting < LIMITS.waitingItemsPerSession) return undefined;
  return `${String(waiting)} items wait for ${sessionId}`;
}

export function* assertMailboxRoom({ topicId, sessionId }: OpenSession): Tx<void> {
  const waiting = yield* countWaitingItems.first({ topicId, kind: 'mailbox_delivery' });
  if ((waiting?.count ?? 0) < LIMITS.undeliveredMailboxMessages) return;
  const limit = String(LIMITS.undeliveredMailboxMessages);
  throw new StoaError('inbox_full', `${limit} messages wait for ${sessionId} already`);
}

/** All items of a run go into one prompt, so their number is limited. */
function* isFull(runId: string): Tx<boolean> {
  return ((yield* countItemsOfRun.first({ runId }))?.count ?? 0) >= LIMITS.itemsPerRun;
}

function* canInject(context: SessionContext, session: OpenSession, work: Work): Tx<boolean> {
  const { activeRunId, persona } = session;
  if (!context.capabilities(persona.definition.driver.kind).inject) return false;
  if (activeRunId === null) return true;
  if (yield* isFull(activeRunId)) return false;
  const active = yield* findQueuedRun.first({ runId: activeRunId });
  const activeWork = workOfRun(active);
  if (!(yield* hasSameAuthority(context, session, activeWork, work))) return false;
  // An isolated memory neither shows its notes elsewhere nor receives others.
  return viewIn(session, activeWork) === viewIn(session, work);
}

/** An item with less or more authority than the active run gets a run of its own. */
function* hasSameAuthority(
  { workspaces }: SessionContext,
  { sessionId }: OpenSession,
  { ceiling: now }: Work,
  { ceiling }: Work,
): Tx<boolean> {
  if (isSameCeiling(now, ceiling)) return true;
  // The rules of the configuration apply to both.
  const ports = { configRules: {}, workspaces };
  const policy = yield* policyOf(ports, sessionId, now);
  const capped = yield* policyOf(ports, sessionId, ceiling);
  return isNoLower(policy, capped) && isNoLower(capped, policy);
}

const viewIn = (session: OpenSession, work: Work): string =>
  viewOf(factsOf(session, '', work).memoryScope);

function activeOf(session: OpenSession) {
  if (session.activeRunId === null) return undefined;
  return { status: session.activeStatus as RunStatus, kind: session.activeKind as WorkKind };
}

function activeRunId(session: OpenSession): string {
  if (session.activeRunId === null) throw new Error('there is no run to inject into');
  return session.activeRunId;
}

/** Only the latest steering item runs: the queued ones are dropped. */
function* supersede(context: SessionContext, session: OpenSession): Tx<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const run of yield* queuedRuns(session)) {
    if (run.rule !== 'steer') continue;
    const end = { type: 'cancelled', reason: 'superseded' } as const;
    events.push(...(yield* endRun(context, session, run.runId, end)));
  }
  return events;
}

/** A queued run takes only items with the same principal, ceiling, channel and thread. */
function* findRunToJoin(
  session: OpenSession,
  arrival: Arrival,
  work: Work,
): Tx<string | undefined> {
  for (const run of yield* queuedRuns(session)) {
    if (run.rule !== 'collect' || run.kind !== arrival.kind) continue;
    const first = yield* findFirstItemOfRun.first({ runId: run.runId });
    if (first?.fromId !== arrival.from) continue;
    const { origin, ceiling } = decode(first.accepted);
    if (!isSameCeiling(ceiling, work.ceiling)) continue;
    if (threadKey(origin) !== threadKey(arrival.origin)) continue;
    if (!(yield* isFull(run.runId))) return run.runId;
  }
  return undefined;
}

const threadKey = ({ messageId: _, ...rest }: Origin): string => stableJson(rest);

function* queuedRuns({ topicId }: OpenSession): Tx<RunRow[]> {
  return yield* listQueuedRuns.all({ topicId, limit: LIMITS.queuedRunsPerSession });
}
