import type { NewStimulus } from '@stoa/protocol';

/** The same words within this time are said once; later they are news again. */
export const SAME_WORDS_MS = 600_000;

type Compared = Omit<NewStimulus, 'stimulusId' | 'availableAt' | 'expiresAt' | 'metadata'>;

const isSamePlace = (a: Compared, b: Compared): boolean =>
  a.scope === b.scope && a.threadRootMessageId === b.threadRootMessageId;

/**
 * Whether a newer stimulus takes the place of one that still waits: the same stream of progress, the
 * same key, or, where they have none in common, the same words from the same source. What others have to
 * say no session takes back, whatever key it names.
 */
export function takesPlaceOf(newer: Compared, older: Compared): boolean {
  const { senderSessionId } = newer;
  if (senderSessionId !== undefined && senderSessionId !== older.senderSessionId) return false;
  if (!isSamePlace(newer, older)) return false;
  if (newer.progressKey !== undefined && older.progressKey !== undefined) {
    return newer.progressKey === older.progressKey;
  }
  if (newer.dedupeKey !== undefined && older.dedupeKey !== undefined) {
    return newer.dedupeKey === older.dedupeKey;
  }
  return isSameWords(newer, older);
}

/** Keys for looking up waiting stimuli. A stimulus shares at least one key with each one that it replaces. */
export function keysOf(stimulus: Compared): string[] {
  const { progressKey, dedupeKey, kind, content, sourceKind, sourceRef } = stimulus;
  const words = JSON.stringify([kind, content, sourceKind, sourceRef, stimulus.senderSessionId]);
  return [
    ...(progressKey === undefined ? [] : [`progress ${hashOf(progressKey)}`]),
    ...(dedupeKey === undefined ? [] : [`dedupe ${hashOf(dedupeKey)}`]),
    `words ${hashOf(words)}`,
  ];
}

/** FNV-1a. A collision does no harm: the texts are compared afterwards. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

/** Whether it says nothing that the other did not say. What is progress always says something. */
export function isRepetitionOf(newer: Compared, older: Compared): boolean {
  const isProgress = newer.progressKey !== undefined || older.progressKey !== undefined;
  return (
    !isProgress &&
    isSamePlace(newer, older) &&
    newer.dedupeKey === older.dedupeKey &&
    isSameWords(newer, older)
  );
}

function isSameWords(a: Compared, b: Compared): boolean {
  return (
    a.kind === b.kind &&
    a.content === b.content &&
    a.visibilityHint === b.visibilityHint &&
    a.sourceKind === b.sourceKind &&
    a.sourceRef === b.sourceRef &&
    a.senderSessionId === b.senderSessionId &&
    a.addressedMemberIds.join() === b.addressedMemberIds.join()
  );
}
