import type { DreamRefusal } from '@stoa/protocol';

/** When a dream may start. */
export interface DreamRules {
  readonly isEnabled: boolean;
  readonly afterMs: number;
  readonly afterSessions: number;
}

/** The facts that the first gates check. */
export interface DreamFacts {
  readonly now: number;
  /** Why there is no model for dreams, if there is none. */
  readonly modelProblem: string | undefined;
  readonly dreamtAt: number | undefined;
  readonly scannedAt: number | undefined;
}

/** Sessions are counted at most once in this time, because counting reads rows. */
export const SCAN_MS = 10 * 60_000;

/**
 * The gates of a dream, in the order in which they are checked. The first closed gate is the reason. Cheap gates come before
 * the scan, which counts sessions; the lease is last.
 */
export function refusalBeforeScan(
  { isEnabled, afterMs }: DreamRules,
  { now, modelProblem, dreamtAt, scannedAt }: DreamFacts,
): DreamRefusal | undefined {
  if (!isEnabled) return { gate: 'disabled', reason: 'memory.dream.enabled is false' };
  if (modelProblem !== undefined) return { gate: 'no_model', reason: modelProblem };
  if (dreamtAt !== undefined && now - dreamtAt < afterMs) {
    const reason = `the last one was ${hours(now - dreamtAt)} h ago, and ${hours(afterMs)} h have to pass between them`;
    return { gate: 'too_soon', reason };
  }
  if (scannedAt !== undefined && now >= scannedAt && now - scannedAt < SCAN_MS) {
    const reason = `sessions were counted less than ${String(SCAN_MS / 60_000)} minutes ago`;
    return { gate: 'scanned_lately', reason };
  }
  return undefined;
}

export function refusalOfScan(
  { afterSessions }: DreamRules,
  otherSessions: number,
): DreamRefusal | undefined {
  if (otherSessions >= afterSessions) return undefined;
  const were =
    otherSessions === 1 ? '1 other session was' : `${String(otherSessions)} other sessions were`;
  return {
    gate: 'too_few_sessions',
    reason: `${were} there since the last one, and ${String(afterSessions)} have to be`,
  };
}

export interface DreamLease {
  readonly holder: string;
  readonly until: number;
  /** Its task ended without releasing it. */
  readonly isOrphaned: boolean;
}

/** One dream at a time for each memory. A lease that expired, or whose task has ended, does not count. */
export function refusalOfLease(
  lease: DreamLease | undefined,
  now: number,
): DreamRefusal | undefined {
  if (!lease || lease.isOrphaned || lease.until <= now) return undefined;
  return { gate: 'under_way', reason: `${lease.holder} is working on it` };
}

const hours = (ms: number): string => String(Math.round((ms / 3_600_000) * 10) / 10);
