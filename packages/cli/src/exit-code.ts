/**
 * What a script may rely on. The last four are how `stoa run` tells the end of a run; 3 and 4 stand
 * there for what else may be missing: an approval, and the rest of the work.
 */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  unreachable: 3,
  denied: 4,
  needsApproval: 3,
  interrupted: 4,
  tasksGoOn: 5,
  cancelled: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
