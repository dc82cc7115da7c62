import type { PatternBudget as Budget, TranscriptEntry, TranscriptInput } from '@stoa/core';
import type { StoredItem, WorkKind } from '@stoa/protocol';
import type { Script, Step } from './script.js';

/** What a run was asked. */
export interface Asked {
  readonly text: string;
  readonly from: string;
  readonly kind: WorkKind;
  /** Of a turn in a channel. */
  readonly place: ChannelPlace | undefined;
}

/** What a script can go by in a channel, besides the message that it answers. */
export interface ChannelPlace {
  readonly isAddressed: boolean;
  readonly answeredBy: readonly string[];
  /** The message that it answers. */
  readonly messageId: string;
  /** What was said last in the thread. */
  readonly last: { readonly messageId: string; readonly from: string; readonly text: string };
}

export interface Chosen {
  readonly steps: readonly Step[];
  /** What the groups of `matches` held. */
  readonly groups: readonly string[];
}

/**
 * What choosing a turn may cost. The script may be anybody's, and it is chosen on the thread that
 * serves everybody: this is half a second, and a text of the greatest length for a few patterns.
 */
export class StepBudget implements Budget {
  #left = 5_000_000;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent();
  }
}

export class BudgetSpent extends Error {
  override readonly message = 'To find the turn for this takes more steps than a script is given';
}

/**
 * Which turn a run plays: the first whose `when` fits; otherwise the next in order; otherwise
 * `otherwise`. How far the order has come is counted anew from what was asked before, so that it needs
 * no memory of its own: a session that is cleared begins at the first turn again. Throws BudgetSpent.
 */
export function chooseTurn(
  script: Script,
  before: readonly Asked[],
  asked: Asked,
  budget: Budget,
): Chosen | undefined {
  const fitting = findFitting(script, asked, budget);
  if (fitting) return fitting;
  const ordered = script.turns.filter(({ when }) => when === undefined);
  const past = before.values();
  for (const turn of ordered) {
    if (!isPlayedOut(turn.plays)) return { steps: turn.steps, groups: [] };
  }
  return script.otherwise && { steps: script.otherwise, groups: [] };

  /** Looks no further back than it must: each thing that was asked costs as much as this one. */
  function isPlayedOut(plays: number): boolean {
    if (plays === Number.POSITIVE_INFINITY) return false;
    let played = 0;
    while (played < plays) {
      const { value, done } = past.next();
      if (done === true) return false;
      if (!findFitting(script, value, budget)) played += 1;
    }
    return true;
  }
}

function findFitting(script: Script, asked: Asked, budget: Budget): Chosen | undefined {
  const { text, kind, place } = asked;
  for (const { when, steps } of script.turns) {
    if (!when) continue;
    if (when.kind !== undefined && when.kind !== kind) continue;
    if (when.addressed !== undefined && when.addressed !== place?.isAddressed) continue;
    if (when.answered !== undefined && !isAnswered(place, when.answered)) continue;
    if (when.contains !== undefined && !contains(text, when.contains, budget)) continue;
    const match = when.matches ? when.matches.exec(text, budget) : [];
    if (match) return { steps, groups: match.map((group) => group ?? '') };
  }
  return undefined;
}

/** Outside of channels nobody answers but the one that is asked. */
function isAnswered(place: ChannelPlace | undefined, wanted: boolean | string): boolean {
  const answeredBy = place?.answeredBy ?? [];
  if (typeof wanted === 'boolean') return wanted === answeredBy.length > 0;
  return answeredBy.some((name) => name.toLowerCase() === wanted.toLowerCase());
}

function contains(text: string, wanted: string, budget: Budget): boolean {
  // At its worst it compares all of one with all of the other, though quickly.
  budget.spend(Math.ceil((text.length * wanted.length) / 64));
  return text.toLowerCase().includes(wanted.toLowerCase());
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
  items: readonly Pick<
    TranscriptInput,
    'inputItems' | 'fromName' | 'kind' | 'origin' | 'delivery'
  >[],
): Asked {
  return {
    text: items.map(({ inputItems }) => textOf(inputItems)).join('\n'),
    from: items[0]?.fromName ?? '',
    kind: items[0]?.kind ?? 'input',
    place: items[0] && placeOf(items[0]),
  };
}

function placeOf({
  origin,
  delivery,
}: Pick<TranscriptInput, 'origin' | 'delivery'>): ChannelPlace | undefined {
  if (!delivery) return undefined;
  const last = delivery.recentMessages.at(-1);
  return {
    isAddressed: delivery.isAddressed,
    answeredBy: delivery.answeredBy,
    messageId: origin.messageId ?? '',
    last: { messageId: last?.messageId ?? '', from: last?.name ?? '', text: last?.text ?? '' },
  };
}

export function textOf(items: readonly StoredItem[]): string {
  return items.map((item) => (item.type === 'text' ? item.text : `[${item.assetId}]`)).join('\n');
}
