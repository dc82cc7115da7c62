import type { TaskStatus } from '@stoa/protocol';

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled', 'lost']);

export const hasEnded = (status: TaskStatus): boolean => ENDED.has(status);
