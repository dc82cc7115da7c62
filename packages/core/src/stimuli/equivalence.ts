import type { NewStimulus } from '@stoa/protocol';

/** The same text is posted once within this time. */
export const REPETITION_MS = 600_000;

type Compared = Omit<NewStimulus, 'stimulusId' | 'availableAt' | 'expiresAt' | 'metadata'>;

const hasSameTarget = (a: Compared, b: Compared): boolean =>
  a.scope === b.scope && a.threadRootMessageId === b.threadRootMessageId;

/**
 * Whether a new stimulus supersedes one that waits: both have the same progress key, or the same dedupe key, or, if they have
 * neither kind of key in common, the same text from the same source. A session supersedes only its own stimuli.
 */
export function supersedes(newer: Compared, older: Compared): boolean {
  const { senderSessionId } = newer;
  if (senderSessionId !== undefined && senderSessionId !== older.senderSessionId) return false;
  if (!hasSameTarget(newer, older)) return false;
  if (newer.progressKey !== undefined && older.progressKey !== undefined) {
    return newer.progressKey === older.progressKey;
  }
  if (newer.dedupeKey !== undefined && older.dedupeKey !== undefined) {
    return newer.dedupeKey === older.dedupeKey;
  }
  return hasSameText(newer, older);
}

/** Keys to find waiting stimuli by. A stimulus has at least one key in common with each one that it supersedes. */
export function keysOf(stimulus: Compared): string[] {
  const { progressKey, dedupeKey, kind, content, sourceKind, sourceRef } = stimulus;
  const text = JSON.stringify([kind, content, sourceKind, sourceRef, stimulus.senderSessionId]);
  return [
    ...(progressKey === undefined ? [] : [`progress ${hashOf(progressKey)}`]),
    ...(dedupeKey === undefined ? [] : [`dedupe ${hashOf(dedupeKey)}`]),
    `words ${hashOf(text)}`,
  ];
}

/** FNV-1a. Collisions are harmless: the texts are compared afterwards. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

/** Whether a stimulus repeats one that was posted. A progress marker never does. */
export function isRepetitionOf(newer: Compared, older: Compared): boolean {
  const isProgress = newer.progressKey !== undefined || older.progressKey !== undefined;
  return (
    !isProgress &&
    hasSameTarget(newer, older) &&
    newer.dedupeKey === older.dedupeKey &&
    hasSameText(newer, older)
  );
}

function hasSameText(a: Compared, b: Compared): boolean {
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
