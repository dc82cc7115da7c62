import type { NewStimulus } from '@stoa/protocol';

/**
 * Stimuli with the same initiative key continue in one open thread. The key is the dedupe key, or the source of an
 * observation. Observations of one source do not replace each other: each of them happened.
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
