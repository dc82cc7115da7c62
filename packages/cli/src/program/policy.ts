/** The fields of a channel's policy, with the help text of each. */
export const POLICY = [
  {
    name: 'maxParallelPublicSpeakers',
    what: 'agents that may speak at the same time in one thread',
  },
  { name: 'maxAgentRepliesPerHumanMessage', what: 'replies of all agents together' },
  { name: 'maxStartedRunsPerHumanMessage', what: 'runs, including those that end without a reply' },
  { name: 'memberCooldownMs', what: 'before the same agent speaks in a thread again' },
  { name: 'leaseTimeoutMs', what: 'after this silence a waiting agent may replace a speaker' },
  { name: 'claimTimeoutMs', what: 'how long a session may take to start its turn' },
  { name: 'silenceLimitMs', what: 'a run without activity for this long is cancelled' },
  { name: 'tokensPerTurn', what: 'input and output tokens of all runs of a turn' },
  { name: 'maxPendingStimuli', what: 'stimuli that wait or are being posted' },
  { name: 'maxAgentRepliesPerStimulus', what: 'replies of all agents together' },
  {
    name: 'maxAutonomousRepliesSinceHuman',
    what: 'replies of agents; after that, stimuli open no turn',
  },
  { name: 'maxAutonomousRootPostsPerHour', what: 'threads that stimuli start' },
  {
    name: 'maxActiveAutonomousRoots',
    what: 'threads that stimuli started and that have open work',
  },
  { name: 'quietPeriodMsAfterRootPost', what: 'before a stimulus starts another thread' },
  { name: 'threadIdleFollowUpMs', what: 'after this silence Stoa asks once about open work' },
] as const;
