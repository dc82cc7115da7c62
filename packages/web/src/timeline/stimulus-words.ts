import type { Stamped, StimulusKind, StimulusReason } from '@stoa/protocol';

export interface StimulusStep {
  readonly at: number;
  readonly text: string;
  /** Whether nothing more happens to it by itself. */
  readonly isEnd: boolean;
}

const KINDS: Readonly<Record<StimulusKind, string>> = {
  agent_idea: 'An idea of an agent',
  schedule_fire: 'A schedule fired',
  schedule_result: 'A schedule produced a result',
  task_completed: 'A task was completed',
  review_completed: 'A review was completed',
  sidechain_milestone: 'A milestone in another session',
  observation_materialized: 'An external observation',
  thread_idle_followup: 'Work became idle',
  result_summary: 'A result',
  supersession_notice: 'Work was replaced by other work',
};

const REASONS: Readonly<Record<StimulusReason, string>> = {
  cancelled: 'somebody cancelled it',
  expired: 'it expired',
  no_thread: 'its thread no longer exists',
  not_member: 'its agent is no longer a member',
  active_root_limit: 'the limit of active threads is reached',
  hourly_root_limit: 'the limit of new threads per hour is reached',
  superseded: 'replaced by a newer one',
  coalesced: 'the same text was posted recently',
  quiet_period: 'the quiet period is not over',
  thread_busy: 'somebody is speaking there',
  paused: 'the channel is paused',
  failed: 'posting it failed',
};

export const stimulusKindText = (kind: StimulusKind | undefined): string =>
  kind === undefined ? 'A stimulus' : KINDS[kind];

type About = Extract<Stamped, { type: `stimulus_${string}` }>;

/** What happened to it, in words; being claimed is only on the way. */
export function stimulusStep(event: About): StimulusStep | undefined {
  const { at } = event;
  switch (event.type) {
    case 'stimulus_created':
      return { at, text: 'waits to be posted', isEnd: false };
    case 'stimulus_claimed':
      return event.data.attempt > 1
        ? { at, text: `tried again (attempt ${event.data.attempt})`, isEnd: false }
        : undefined;
    case 'stimulus_deferred':
      return { at, text: `postponed: ${REASONS[event.data.reason]}`, isEnd: false };
    case 'stimulus_dispatched':
      return { at, text: 'posted', isEnd: true };
    case 'stimulus_settled':
      return {
        at,
        text: `not posted: ${event.data.error ?? REASONS[event.data.reason]}`,
        isEnd: true,
      };
    case 'stimulus_replayed':
      return { at, text: 'retried by a person', isEnd: false };
  }
}
