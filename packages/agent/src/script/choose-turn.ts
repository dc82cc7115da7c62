import type { PatternBudget as Budget, TranscriptEntry, TranscriptInput } from '@stoa/core';
import { type StoredItem, textWithAssets, type WorkKind } from '@stoa/protocol';
import type { Script, Step } from './parse-script.js';

/** The input of a run. */
export interface Asked {
  readonly text: string;
  readonly from: string;
  readonly kind: WorkKind;
  /** Set for a turn in a channel. */
  readonly channel: ChannelContext | undefined;
}

/** What conditions and placeholders can refer to in a channel. */
export interface ChannelContext {
  readonly isAddressed: boolean;
  readonly answeredBy: readonly string[];
  /** The message to answer. */
  readonly messageId: string;
  /** The last message of the thread. */
  readonly last: { readonly messageId: string; readonly from: string; readonly text: string };
}

export interface Chosen {
  readonly steps: readonly Step[];
  /** The groups of `matches`. */
  readonly groups: readonly string[];
}

/**
 * Limits the cost of choosing a turn, because scripts of any person run on the daemon's main thread. The limit is about half a
 * second: enough for a few patterns on a text of maximum length.
 */
export class StepBudget implements Budget {
  #left = 5_000_000;

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetSpent();
  }
}

export class BudgetSpent extends Error {
  override readonly message = 'Choosing a turn takes more steps than a script may use';
}

/**
 * The turn that a run plays: the first whose conditions match, otherwise the next without conditions, otherwise `otherwise`.
 * The next one is derived from the earlier inputs, so a cleared session begins with the first turn again. Throws
 * BudgetSpent.
 */
export function chooseTurn(
  script: Script,
  before: readonly Asked[],
  asked: Asked,
  budget: Budget,
): Chosen | undefined {
  const matching = findMatching(script, asked, budget);
  if (matching) return matching;
  const ordered = script.turns.filter(({ when }) => when === undefined);
  const past = before.values();
  for (const turn of ordered) {
    if (!isPlayedOut(turn.plays)) return { steps: turn.steps, groups: [] };
  }
  return script.otherwise && { steps: script.otherwise, groups: [] };

  /** Reads only as many earlier inputs as necessary, because matching each of them is expensive. */
  function isPlayedOut(plays: number): boolean {
    if (plays === Number.POSITIVE_INFINITY) return false;
    let played = 0;
    while (played < plays) {
      const { value, done } = past.next();
      if (done === true) return false;
      if (!findMatching(script, value, budget)) played += 1;
    }
    return true;
  }
}

function findMatching(script: Script, asked: Asked, budget: Budget): Chosen | undefined {
  const { text, kind, channel } = asked;
  for (const { when, steps } of script.turns) {
    if (!when) continue;
    if (when.kind !== undefined && when.kind !== kind) continue;
    if (when.addressed !== undefined && when.addressed !== channel?.isAddressed) continue;
    if (when.answered !== undefined && !isAnswered(channel, when.answered)) continue;
    if (when.contains !== undefined && !contains(text, when.contains, budget)) continue;
    const match = when.matches ? when.matches.exec(text, budget) : [];
    if (match) return { steps, groups: match.map((group) => group ?? '') };
  }
  return undefined;
}

/** Outside of channels no other agent answers. */
function isAnswered(channel: ChannelContext | undefined, wanted: boolean | string): boolean {
  const answeredBy = channel?.answeredBy ?? [];
  if (typeof wanted === 'boolean') return wanted === answeredBy.length > 0;
  return answeredBy.some((name) => name.toLowerCase() === wanted.toLowerCase());
}

function contains(text: string, wanted: string, budget: Budget): boolean {
  // The worst case compares every character of one with every character of the other.
  budget.spend(Math.ceil((text.length * wanted.length) / 64));
  return text.toLowerCase().includes(wanted.toLowerCase());
}

/** The input of each run before its first action, oldest first. */
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
  for (const [runId, items] of inputs) asked.set(runId, joinAsked(items));
  return asked;
}

export function joinAsked(
  items: readonly Pick<
    TranscriptInput,
    'inputItems' | 'fromName' | 'kind' | 'origin' | 'delivery'
  >[],
): Asked {
  return {
    text: items.map(({ inputItems }) => inputText(inputItems)).join('\n'),
    from: items[0]?.fromName ?? '',
    kind: items[0]?.kind ?? 'input',
    channel: items[0] && channelContext(items[0]),
  };
}

function channelContext({
  origin,
  delivery,
}: Pick<TranscriptInput, 'origin' | 'delivery'>): ChannelContext | undefined {
  if (!delivery) return undefined;
  const last = delivery.recentMessages.at(-1);
  return {
    isAddressed: delivery.isAddressed,
    answeredBy: delivery.answeredBy,
    messageId: origin.messageId ?? '',
    last: { messageId: last?.messageId ?? '', from: last?.name ?? '', text: last?.text ?? '' },
  };
}

export const inputText = (items: readonly StoredItem[]): string =>
  textWithAssets(items, (assetId) => `[${assetId}]`);
