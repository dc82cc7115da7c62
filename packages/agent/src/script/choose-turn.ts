import type { TranscriptEntry, TranscriptInput } from '@stoa/core';
import type { StoredItem, WorkKind } from '@stoa/protocol';
import type { Script, Step } from './script.js';

/** What a run was asked. */
export interface Asked {
  readonly text: string;
  readonly from: string;
  readonly kind: WorkKind;
}

export interface Chosen {
  readonly steps: readonly Step[];
  /** What the groups of `matches` held. */
  readonly groups: readonly string[];
}

/**
 * Which turn a run plays: the first whose `when` fits; otherwise the next in order; otherwise
 * `otherwise`. How far the order has come is counted anew from what was asked before, so that it needs
 * no memory of its own: a session that is cleared begins at the first turn again.
 */
export function chooseTurn(
  script: Script,
  before: readonly Asked[],
  asked: Asked,
): Chosen | undefined {
  const ordered = script.turns.filter(({ when }) => when === undefined);
  let played = before.filter((past) => !findFitting(script, past)).length;
  const fitting = findFitting(script, asked);
  if (fitting) return fitting;
  for (const turn of ordered) {
    if (played < turn.plays) return { steps: turn.steps, groups: [] };
    played -= turn.plays;
  }
  return script.otherwise && { steps: script.otherwise, groups: [] };
}

function findFitting(script: Script, { text, kind }: Asked): Chosen | undefined {
  for (const { when, steps } of script.turns) {
    if (!when) continue;
    if (when.kind !== undefined && when.kind !== kind) continue;
    if (when.contains !== undefined && !text.toLowerCase().includes(when.contains.toLowerCase()))
      continue;
    const match = when.matches ? when.matches.exec(text) : [];
    if (match) return { steps, groups: match.map((group: string | undefined) => group ?? '') };
  }
  return undefined;
}

/** What each run was asked, oldest first: what stands before the first thing that was done in it. */
export function askedOf(entries: readonly TranscriptEntry[]): ReadonlyMap<string, Asked> {
  const inputs = new Map<string, TranscriptInput[]>();
  const begun = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'summary') continue;
    if (entry.type !== 'input') begun.add(entry.runId);
    else if (!begun.has(entry.runId)) {
      const known = inputs.get(entry.runId);
      if (known) known.push(entry.input);
      else inputs.set(entry.runId, [entry.input]);
    }
  }
  const asked = new Map<string, Asked>();
  for (const [runId, of] of inputs) asked.set(runId, joinAsked(of));
  return asked;
}

export function joinAsked(
  items: readonly Pick<TranscriptInput, 'inputItems' | 'fromName' | 'kind'>[],
): Asked {
  return {
    text: items.map(({ inputItems }) => textOf(inputItems)).join('\n'),
    from: items[0]?.fromName ?? '',
    kind: items[0]?.kind ?? 'input',
  };
}

export function textOf(items: readonly StoredItem[]): string {
  return items.map((item) => (item.type === 'text' ? item.text : `[${item.assetId}]`)).join('\n');
}
