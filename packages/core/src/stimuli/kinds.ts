import type { StimulusKind, TopicOfWork, WorkStatus } from '@stoa/protocol';

export interface KindRule {
  /** The topic kind of a thread that a stimulus of this kind opens. */
  readonly topicKind: Exclude<TopicOfWork, 'human'>;
  /** The least status of the thread's work once it is posted. */
  readonly status: WorkStatus;
  /** It opens a turn for sessions. */
  readonly wakes: boolean;
  /** The session that sent it gets the turn first: it started the work that has ended and can explain the result. */
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

/** The kinds that sessions may create; the others come from the daemon or from people. */
export const KINDS_OF_AGENTS: readonly StimulusKind[] = ['agent_idea', 'result_summary'];
