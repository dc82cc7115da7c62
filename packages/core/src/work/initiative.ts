import type { NewStimulus } from '@stoa/protocol';

/**
 * What a stimulus goes on with, if its thread is still open: what its dedupe key names; without one, what
 * is told by the same source of observations. Those wait one after the other and replace nothing: each of
 * them happened.
 */
export function initiativeKeyOf({
  dedupeKey,
  sourceKind,
  sourceRef,
}: Pick<NewStimulus, 'dedupeKey' | 'sourceKind' | 'sourceRef'>): string | undefined {
  if (dedupeKey !== undefined) return dedupeKey;
  return sourceKind === 'observation' && sourceRef !== undefined
    ? `observation:${sourceRef}`
    : undefined;
}
