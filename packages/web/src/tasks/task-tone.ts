/** The colour of a status in words. */
export function toneOf(status: string): string {
  if (/^running|^queued/.test(status)) return 'text-good';
  if (/^failed|^lost/.test(status)) return 'text-danger';
  if (/^paused|^stopping|^unknown/.test(status)) return 'text-warn';
  return 'text-soft';
}
