import type { DispatchRule, DriverCapabilities, RunStatus, WorkKind } from '@stoa/protocol';

/** What an admission depends on. */
export interface SessionActivity {
  readonly active: { readonly status: RunStatus; readonly kind: WorkKind } | undefined;
  readonly driver: Pick<DriverCapabilities, 'inject'>;
}

/**
 * How an accepted item reaches a run:
 *
 *   enqueue    it gets a run of its own at the end of the queue
 *   join       it joins the queued run of the same kind, principal and origin, or gets a run of its own
 *   replace    the active run and queued runs with the rule `steer` are cancelled; its own run is next
 *   preempt    the active run is cancelled (`interrupt`); its own run is next
 *   inject     the active run takes it at its next tool boundary
 */
type Admission = 'enqueue' | 'join' | 'replace' | 'preempt' | 'inject';

interface Admitted {
  readonly admission: Admission;
  /** The requested rule, or the one that replaces it because it cannot be applied. */
  readonly applied: DispatchRule;
}

/** Runs that can be steered and injected into. Others depend on the rest. */
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

export function admit(rule: DispatchRule, { active, driver }: SessionActivity): Admitted {
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

/** The priority of an item whose sender sets none: people first, then results that they wait for, then schedules. */
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

/** The priority of steering and interrupting items. */
export const URGENT_PRIORITY = 9;
