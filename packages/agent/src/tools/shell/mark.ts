/** The variable that every process of a command carries, unless it cleared its environment. */
export const MARK = 'STOA_TASK';
