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
  schedule_result: 'A schedule brought a result',
  task_completed: 'A task was completed',
  review_completed: 'A review was given',
  sidechain_milestone: 'A milestone elsewhere',
  observation_materialized: 'An observation from outside',
  thread_idle_followup: 'Work went quiet',
  result_summary: 'A result',
  supersession_notice: 'Work was replaced by other work',
};

const REASONS: Readonly<Record<StimulusReason, string>> = {
  cancelled: 'somebody took it back',
  expired: 'its time was over',
  no_thread: 'its thread is gone',
  not_member: 'its agent is no member any more',
  active_root_limit: 'enough threads are at work',
  hourly_root_limit: 'enough threads were begun this hour',
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
        ? { at, text: `tried again, for the ${event.data.attempt}. time`, isEnd: false }
        : undefined;
    case 'stimulus_deferred':
      return { at, text: `put off: ${REASONS[event.data.reason]}`, isEnd: false };
    case 'stimulus_dispatched':
      return { at, text: 'posted', isEnd: true };
    case 'stimulus_settled':
      return {
        at,
        text: `not posted: ${event.data.error ?? REASONS[event.data.reason]}`,
        isEnd: true,
      };
    case 'stimulus_replayed':
      return { at, text: 'tried once more by a person', isEnd: false };
  }
}
