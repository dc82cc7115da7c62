import { type DreamRefusal, LIMITS, type MemoryPart } from '@stoa/protocol';
import {
  countMemoryVisitors,
  type DreamGateRow,
  deleteMemoryVisits,
  ensureDreamGate,
  findBackgroundTask,
  findDreamGate,
  insertMemoryVisit,
  leaseTime,
  listMemoryVisits,
  listNotes,
  lockDreamGate,
  releaseDreamLease,
  setDreamCheck,
  setDreamt,
  type Tx,
  takeDreamLease,
  trimMemoryVisits,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { noteRecord } from '../memory/records.js';
import { isEnded } from '../tasks/lifecycle.js';
import {
  type DreamLease,
  type DreamRules,
  refusalBeforeScan,
  refusalOfLease,
  refusalOfScan,
} from './gates.js';

/** One part of a memory. */
export interface DreamTarget {
  readonly memoryId: string;
  readonly ownerId: string;
  readonly namespace: string;
  readonly part: MemoryPart;
}

const VISITS_KEPT = 500;

export const gateKeyOf = ({ memoryId, part }: Pick<DreamTarget, 'memoryId' | 'part'>): string =>
  part === 'isolated' ? `${memoryId}.isolated` : memoryId;

/** Records that a run used this memory. */
export function* noteVisit(
  target: DreamTarget,
  visit: { readonly sessionId: string; readonly runId: string; readonly at: number },
): Tx<void> {
  const gateKey = gateKeyOf(target);
  yield* ensureDreamGate.run({ gateKey, ...target });
  yield* insertMemoryVisit.run({ gateKey, ...visit });
  yield* trimMemoryVisits.run({ gateKey, kept: VISITS_KEPT });
}

export interface GateCheck {
  readonly now: number;
  readonly modelProblem: string | undefined;
  /** The session whose run caused the check: it does not count as another session. */
  readonly sessionId: string;
}

/** Reads the state of the gates without taking the lease. */
export function* gateStatus(
  rules: DreamRules,
  target: DreamTarget,
  { now, modelProblem }: Omit<GateCheck, 'sessionId'>,
): Tx<{
  readonly gate: DreamGateRow | undefined;
  readonly sessionsSince: number;
  readonly refusal: DreamRefusal | undefined;
  readonly taskId: string | undefined;
}> {
  const gateKey = gateKeyOf(target);
  const gate = yield* findDreamGate.first({ gateKey });
  const { count: sessionsSince = 0 } =
    (yield* countMemoryVisitors.first({ gateKey, sessionId: '' })) ?? {};
  const lease = gate && (yield* leaseOf(gate));
  const held = refusalOfLease(lease, yield* leaseNow(now));
  // A status does not depend on the time of the last scan.
  const facts = { now, modelProblem, dreamtAt: gate?.dreamtAt ?? undefined, scannedAt: undefined };
  const refusal = refusalBeforeScan(rules, facts) ?? refusalOfScan(rules, sessionsSince) ?? held;
  return { gate, sessionsSince, refusal, taskId: held && lease?.holder };
}

/** Checks the gates, stores the result, and takes the lease if all of them are open. */
export function* tryGates(
  rules: DreamRules,
  target: DreamTarget,
  { now, modelProblem, sessionId }: GateCheck,
  lease: { readonly holder: string; readonly ms: number },
): Tx<DreamRefusal | undefined> {
  const gateKey = gateKeyOf(target);
  const gate = yield* lockDreamGate.first({ gateKey });
  if (!gate) return { gate: 'not_started', reason: 'no run has used this memory' };
  let { scannedAt } = gate;
  let refusal = refusalBeforeScan(rules, {
    now,
    modelProblem,
    dreamtAt: gate.dreamtAt ?? undefined,
    scannedAt: scannedAt ?? undefined,
  });
  if (!refusal) {
    scannedAt = now;
    const { count = 0 } = (yield* countMemoryVisitors.first({ gateKey, sessionId })) ?? {};
    refusal = refusalOfScan(rules, count) ?? (yield* tryLease(gate, now, lease));
  }
  yield* storeCheck(gateKey, now, refusal, scannedAt);
  return refusal;
}

/** For a dream that a person starts: only the lease can refuse it. */
export function* forceGates(
  target: DreamTarget,
  now: number,
  lease: { readonly holder: string; readonly ms: number },
): Tx<DreamRefusal | undefined> {
  const gateKey = gateKeyOf(target);
  yield* ensureDreamGate.run({ gateKey, ...target });
  const gate = yield* lockDreamGate.first({ gateKey });
  const refusal = gate && (yield* tryLease(gate, now, lease));
  yield* storeCheck(gateKey, now, refusal, gate?.scannedAt ?? null);
  return refusal;
}

export function storeCheck(
  gateKey: string,
  now: number,
  refusal: DreamRefusal | undefined,
  scannedAt: number | null,
): Tx<void> {
  const text = refusal ? JSON.stringify(refusal) : null;
  return setDreamCheck.run({ gateKey, checkedAt: now, refusal: text, scannedAt });
}

function* tryLease(
  gate: DreamGateRow,
  now: number,
  { holder, ms }: { readonly holder: string; readonly ms: number },
): Tx<DreamRefusal | undefined> {
  const time = yield* leaseNow(now);
  const refusal = refusalOfLease(yield* leaseOf(gate), time);
  if (refusal) return refusal;
  yield* takeDreamLease.run({ gateKey: gate.gateKey, holder, until: time + ms });
  return undefined;
}

/** On PostgreSQL, the clock of the database, because the clocks of daemons differ. */
function* leaseNow(now: number): Tx<number> {
  return (yield* leaseTime.first({ now }))?.now ?? now;
}

function* leaseOf({ leaseHolder, leaseUntil }: DreamGateRow): Tx<DreamLease | undefined> {
  if (leaseHolder === null || leaseUntil === null) return undefined;
  const row = yield* findBackgroundTask.first({ taskId: leaseHolder });
  const isOrphaned = row !== undefined && isEnded(decode(row.entry).status);
  return { holder: leaseHolder, until: leaseUntil, isOrphaned };
}

/** Whether a task still has its lease. */
export function* holdsLease(target: DreamTarget, holder: string): Tx<boolean> {
  const gate = yield* findDreamGate.first({ gateKey: gateKeyOf(target) });
  return gate?.leaseHolder === holder;
}

export const releaseLease = (target: DreamTarget, holder: string): Tx<void> =>
  releaseDreamLease.run({ gateKey: gateKeyOf(target), holder });

/** Records a finished dream and deletes the visits that it covered. */
export function* storeDreamt(target: DreamTarget, startedAt: number, endedAt: number): Tx<void> {
  const gateKey = gateKeyOf(target);
  yield* setDreamt.run({ gateKey, at: endedAt });
  yield* deleteMemoryVisits.run({ gateKey, upTo: startedAt });
}

/** The run after which a dream starts. Its session owns the task. */
export interface Occasion {
  readonly sessionId: string;
  readonly runId: string;
}

/** For a dream that a person starts: the last run that used the memory, or that stored the newest note. */
export function* lastOccasion(target: DreamTarget, topicId: number): Tx<Occasion | undefined> {
  const [visit] = yield* listMemoryVisits.all({ gateKey: gateKeyOf(target), limit: 1 });
  if (visit) return visit;
  const before = Number.MAX_SAFE_INTEGER;
  const rows = yield* listNotes.all({ topicId, isolated: 1, before, limit: LIMITS.memoryNotes });
  const isIsolated = target.part === 'isolated';
  return rows.map(noteRecord).find(({ mode }) => (mode === 'isolated') === isIsolated);
}
