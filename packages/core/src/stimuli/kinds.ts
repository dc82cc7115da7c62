import type { StimulusKind, TopicOfWork, WorkStatus } from '@stoa/protocol';

export interface KindRule {
  /** What a thread is that one of this kind begins. */
  readonly topicKind: Exclude<TopicOfWork, 'human'>;
  /** How far the work of its thread is with it, at least. */
  readonly status: WorkStatus;
  /** Whether others may be given a turn by it. */
  readonly wakes: boolean;
  /** Whether the session that sent it is asked first: it started the work that has ended, and can explain the result. */
  readonly asksSender?: boolean;
}

const NEWS: KindRule = { topicKind: 'autonomous_root', status: 'active', wakes: true };

export const KIND_RULES: Readonly<Record<StimulusKind, KindRule>> = {
  agent_idea: NEWS,
  schedule_fire: NEWS,
  schedule_result: NEWS,
  task_completed: { ...NEWS, asksSender: true },
  sidechain_milestone: NEWS,
  observation_materialized: NEWS,
  thread_idle_followup: NEWS,
  review_completed: { ...NEWS, status: 'reviewing' },
  result_summary: { topicKind: 'summary', status: 'completed', wakes: false },
  supersession_notice: { topicKind: 'summary', status: 'superseded', wakes: false },
};

/** What an agent may put in by itself; the others are told by the daemon or by people. */
export const KINDS_OF_AGENTS: readonly StimulusKind[] = ['agent_idea', 'result_summary'];
