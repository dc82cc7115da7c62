/**
 * What this browser remembers by itself: drafts, what is on its way, and preferences, nothing else. A browser may refuse to
 * keep anything (private windows, full quota); then it is forgotten, and nothing breaks.
 */
const PREFIX = 'stoa:';

export function kept(key: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The keys that begin so. */
export function keptKeys(prefix: string): readonly string[] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + prefix))
      .map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

export function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // See above.
  }
}

/** Who uses this browser next finds nothing of what was written and not sent. */
export function forgetWriting(): void {
  for (const prefix of ['draft:', 'attached:', 'send-queue:']) {
    for (const key of keptKeys(prefix)) keep(key, undefined);
  }
}
