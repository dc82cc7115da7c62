import type { WorkStatus } from '@stoa/protocol';

const ORDER: readonly WorkStatus[] = ['proposed', 'active', 'reviewing', 'completed', 'superseded'];

/**
 *   proposed ──▶ active ──▶ reviewing ──▶ completed ──▶ superseded
 *
 * Steps may be skipped. Only reopening goes back.
 */
export const isLower = (status: WorkStatus, than: WorkStatus): boolean =>
  ORDER.indexOf(status) < ORDER.indexOf(than);

/** The later of the two. */
export const raised = (now: WorkStatus, asked: WorkStatus): WorkStatus =>
  isLower(now, asked) ? asked : now;

export const isOpen = (status: WorkStatus): boolean => isLower(status, 'completed');
