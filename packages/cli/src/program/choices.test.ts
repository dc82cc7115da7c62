import {
  AcpPreset,
  ApprovalScope,
  ApprovalState,
  AutonomyPolicySettings,
  DispatchRule,
  InboxItemState,
  Misfire,
  Overlap,
  ParticipationMode,
  PermissionMode,
  ProjectStatus,
  ProjectTaskStatus,
  ReviewVerdict,
  StimulusKind,
  StimulusState,
  TaskStatus,
  UsageGrouping,
  VisibilityHint,
  WorkKind,
  WorkStatus,
} from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import * as choices from './choices.js';

describe('the words options take', () => {
  it.each([
    ['modes', choices.MODES, PermissionMode],
    ['rules', choices.RULES, DispatchRule],
    ['programs that speak ACP', choices.ACP_PRESETS, AcpPreset],
    ['groupings', choices.GROUPINGS, UsageGrouping],
    ['overlaps', choices.OVERLAPS, Overlap],
    ['misfires', choices.MISFIRES, Misfire],
    ['states of items', choices.ITEM_STATES, InboxItemState],
    ['states of approvals', choices.APPROVAL_STATES, ApprovalState],
    ['kinds of work', choices.KINDS, WorkKind],
    ['kinds of stimuli', choices.STIMULUS_KINDS, StimulusKind],
    ['states of stimuli', choices.STIMULUS_STATES, StimulusState],
    ['hints of stimuli', choices.VISIBILITY_HINTS, VisibilityHint],
    ['statuses of work', choices.WORK_STATUSES, WorkStatus],
    ['verdicts', choices.VERDICTS, ReviewVerdict],
    ['statuses of projects', choices.PROJECT_STATUSES, ProjectStatus],
    ['statuses of tasks', choices.TASK_STATUSES, ProjectTaskStatus],
    ['statuses of background tasks', choices.BACKGROUND_STATUSES, TaskStatus],
    ['modes of participation', choices.PARTICIPATION_MODES, ParticipationMode],
  ])('are those of the contract: %s', (_, words, contract) => {
    expect(words).toEqual(contract.options);
  });

  it('are those of the contract: what a policy is made of', () => {
    const names = choices.POLICY.map(({ name }) => name);
    expect(names).toEqual(Object.keys(AutonomyPolicySettings.shape));
  });

  it('are those of the contract: what "always" reaches', () => {
    expect(['once', ...choices.REACHES]).toEqual(ApprovalScope.options);
  });
});
