import type { DispatchRule, DriverCapabilities, RunStatus, WorkKind } from '@stoa/protocol';

/** What of a session an admission depends on. */
export interface Standing {
  /** The run that is under way, if any. */
  readonly active: { readonly status: RunStatus; readonly kind: WorkKind } | undefined;
  readonly driver: Pick<DriverCapabilities, 'inject'>;
}

/**
 * What becomes of an item that was accepted:
 *
 *   enqueue    a run of its own, behind what waits
 *   join       the queued run of the same kind, principal and place, or a run of its own
 *   replace    the active run is cancelled (`steer`); what waited to steer is dropped; runs next
 *   preempt    the active run is cancelled (`interrupt`); runs next, alone
 *   inject     the active run takes it at its next tool boundary
 */
type Admission = 'enqueue' | 'join' | 'replace' | 'preempt' | 'inject';

interface Admitted {
  readonly admission: Admission;
  /** What was asked for, or what it became because that cannot be had. */
  readonly applied: DispatchRule;
}

/** Work that others depend on is not thrown away by steering, and nothing is injected into it. */
const STEERABLE: Readonly<Record<WorkKind, boolean>> = {
  input: true,
  channel_delivery: true,
  mailbox_delivery: true,
  task_notice: true,
  team_task: true,
  schedule: true,
  resume: true,
  system: false,
};

/** The one place that says how work gets in. Total: every rule has an answer in every standing. */
export function admit(rule: DispatchRule, { active, driver }: Standing): Admitted {
  const followup: Admitted = { admission: 'enqueue', applied: 'followup' };
  switch (rule) {
    case 'followup':
      return followup;
    case 'collect':
      return { admission: 'join', applied: 'collect' };
    case 'steer':
      if (active && !STEERABLE[active.kind]) return followup;
      return { admission: 'replace', applied: 'steer' };
    case 'interrupt':
      return { admission: 'preempt', applied: 'interrupt' };
    case 'inject':
      if (!active || !driver.inject || !STEERABLE[active.kind]) return followup;
      return { admission: 'inject', applied: 'inject' };
  }
}

/** Which comes first when nobody said: people, then what they wait for, then the clock. */
export const DEFAULT_PRIORITY: Readonly<Record<WorkKind, number>> = {
  resume: 6,
  input: 5,
  channel_delivery: 5,
  team_task: 4,
  mailbox_delivery: 4,
  task_notice: 4,
  schedule: 3,
  system: 3,
};

/** Steering and interrupting go before everything that waits. */
export const URGENT_PRIORITY = 9;
