import type { DreamRefusal, MemoryPart } from '@stoa/protocol';
import {
  countMemoryVisitors,
  type DreamGateRow,
  deleteMemoryVisits,
  ensureDreamGate,
  findBackgroundTask,
  findDreamGate,
  insertMemoryVisit,
  leaseTime,
  lockDreamGate,
  releaseDreamLease,
  setDreamCheck,
  setDreamt,
  type Tx,
  takeDreamLease,
  trimMemoryVisits,
} from '@stoa/store';
import { decode } from '../kernel/codec.js';
import { isEnded } from '../tasks/lifecycle.js';
import {
  type DreamLease,
  type DreamRules,
  refusalBeforeScan,
  refusalOfLease,
  refusalOfScan,
} from './gates.js';

/** A memory of one person under one namespace, and which of its files. */
export interface DreamPlace {
  readonly memoryId: string;
  readonly ownerId: string;
  readonly namespace: string;
  readonly part: MemoryPart;
}

const VISITS_KEPT = 500;

export const gateKeyOf = ({ memoryId, part }: Pick<DreamPlace, 'memoryId' | 'part'>): string =>
  part === 'isolated' ? `${memoryId}.isolated` : memoryId;

/** A run ended there. */
export function* noteVisit(
  place: DreamPlace,
  visit: { readonly sessionId: string; readonly runId: string; readonly at: number },
): Tx<void> {
  const gateKey = gateKeyOf(place);
  yield* ensureDreamGate.run({ gateKey, ...place });
  yield* insertMemoryVisit.run({ gateKey, ...visit });
  yield* trimMemoryVisits.run({ gateKey, kept: VISITS_KEPT });
}

export interface Look {
  readonly now: number;
  readonly modelProblem: string | undefined;
  /** Whose run made it look: it does not count as another session. */
  readonly sessionId: string;
}

/** Looks at the gates without opening any. */
export function* standing(
  rules: DreamRules,
  place: DreamPlace,
  { now, modelProblem }: Omit<Look, 'sessionId'>,
): Tx<{
  readonly gate: DreamGateRow | undefined;
  readonly sessionsSince: number;
  readonly refusal: DreamRefusal | undefined;
  readonly taskId: string | undefined;
}> {
  const gateKey = gateKeyOf(place);
  const gate = yield* findDreamGate.first({ gateKey });
  const { count: sessionsSince = 0 } =
    (yield* countMemoryVisitors.first({ gateKey, sessionId: '' })) ?? {};
  const lease = gate && (yield* leaseOf(gate));
  const held = refusalOfLease(lease, yield* leaseNow(now));
  // Whoever asks is told of what lasts, and not that somebody looked a moment ago.
  const facts = { now, modelProblem, dreamtAt: gate?.dreamtAt ?? undefined, scannedAt: undefined };
  const refusal = refusalBeforeScan(rules, facts) ?? refusalOfScan(rules, sessionsSince) ?? held;
  return { gate, sessionsSince, refusal, taskId: held && lease?.holder };
}

/** Looks at the gates, keeps what came of it, and takes the lease if all of them are open. */
export function* tryGates(
  rules: DreamRules,
  place: DreamPlace,
  { now, modelProblem, sessionId }: Look,
  lease: { readonly holder: string; readonly ms: number },
): Tx<DreamRefusal | undefined> {
  const gateKey = gateKeyOf(place);
  const gate = yield* lockDreamGate.first({ gateKey });
  if (!gate) return { gate: 'not_started', reason: 'nothing is known of it' };
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
  yield* keepLook(gateKey, now, refusal, scannedAt);
  return refusal;
}

/** A person wants it: only the lease can be in the way. */
export function* forceGates(
  place: DreamPlace,
  now: number,
  lease: { readonly holder: string; readonly ms: number },
): Tx<DreamRefusal | undefined> {
  const gateKey = gateKeyOf(place);
  yield* ensureDreamGate.run({ gateKey, ...place });
  const gate = yield* lockDreamGate.first({ gateKey });
  const refusal = gate && (yield* tryLease(gate, now, lease));
  yield* keepLook(gateKey, now, refusal, gate?.scannedAt ?? null);
  return refusal;
}

export function keepLook(
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

/** On PostgreSQL the clock of the database: those of daemons differ. */
function* leaseNow(now: number): Tx<number> {
  return (yield* leaseTime.first({ now }))?.now ?? now;
}

function* leaseOf({ leaseHolder, leaseUntil }: DreamGateRow): Tx<DreamLease | undefined> {
  if (leaseHolder === null || leaseUntil === null) return undefined;
  const row = yield* findBackgroundTask.first({ taskId: leaseHolder });
  const isLeftBehind = row !== undefined && isEnded(decode(row.entry).status);
  return { holder: leaseHolder, until: leaseUntil, isLeftBehind };
}

/** Whether a task still has the lease it took. */
export function* holdsLease(place: DreamPlace, holder: string): Tx<boolean> {
  const gate = yield* findDreamGate.first({ gateKey: gateKeyOf(place) });
  return gate?.leaseHolder === holder;
}

export const releaseLease = (place: DreamPlace, holder: string): Tx<void> =>
  releaseDreamLease.run({ gateKey: gateKeyOf(place), holder });

/** It was put in order at this time: what was there until then is done with. */
export function* keepDreamt(place: DreamPlace, startedAt: number, endedAt: number): Tx<void> {
  const gateKey = gateKeyOf(place);
  yield* setDreamt.run({ gateKey, at: endedAt });
  yield* deleteMemoryVisits.run({ gateKey, upTo: startedAt });
}
