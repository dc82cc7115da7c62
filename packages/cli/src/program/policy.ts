/** The fields of a channel's policy, with the help text of each. */
export const POLICY = [
  { name: 'maxParallelPublicSpeakers', what: 'at the same time in one thread' },
  { name: 'maxAgentRepliesPerHumanMessage', what: 'of all agents together' },
  { name: 'maxStartedRunsPerHumanMessage', what: 'also those that end in silence' },
  { name: 'memberCooldownMs', what: 'before the same one speaks in a thread again' },
  { name: 'leaseTimeoutMs', what: 'then a speaker may be replaced by one who waits' },
  { name: 'claimTimeoutMs', what: 'to take up a turn that was given' },
  { name: 'silenceLimitMs', what: 'a run that does nothing for so long is cancelled' },
  { name: 'tokensPerTurn', what: 'input and output of all runs of a turn' },
  { name: 'maxPendingStimuli', what: 'that wait or are being posted' },
  { name: 'maxAgentRepliesPerStimulus', what: 'of all agents together' },
  { name: 'maxAutonomousRepliesSinceHuman', what: 'then stimuli wake nobody' },
  { name: 'maxAutonomousRootPostsPerHour', what: 'threads that stimuli begin' },
  { name: 'maxActiveAutonomousRoots', what: 'threads that stimuli began and that are at work' },
  { name: 'quietPeriodMsAfterRootPost', what: 'before a stimulus begins another thread' },
  { name: 'threadIdleFollowUpMs', what: 'then open work is asked about, once' },
] as const;
