import type { Topic } from './topics.js';

/** A topic for a prompt; a long one is cut. */
export interface ChosenTopic {
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
}

export interface ChosenTopics {
  /** A line for each topic, as many as fit. */
  readonly index: string;
  readonly topics: readonly ChosenTopic[];
  /** The number of topics that are not in the index. */
  readonly unlisted: number;
}

/** The parts of the budget for the index and for topics; notes get the rest. */
const INDEX_SHARE = 1 / 6;
const TOPICS_SHARE = 1 / 2;
const MIN_WORD_CHARS = 3;
const MIN_CUT_CHARS = 200;

/**
 * Chooses what a prompt contains of the long-term memory, within a budget of characters: the index, and the topics that match
 * the request best, or all topics if they fit. They are sorted by name, so that the same memory and request result in the
 * same prompt.
 */
export function chooseTopics(
  topics: readonly Topic[],
  request: string,
  budgetChars: number,
): ChosenTopics {
  const index: string[] = [];
  let indexChars = 0;
  for (const { name, line } of topics) {
    const entry = `- ${name}: ${line}`;
    indexChars += entry.length + 1;
    if (indexChars > budgetChars * INDEX_SHARE) break;
    index.push(entry);
  }
  const room = Math.floor(budgetChars * TOPICS_SHARE);
  const hasRoomForAll = topics.reduce((sum, { text }) => sum + text.length, 0) <= room;
  const candidates = hasRoomForAll ? topics : ranked(topics, wordsOf(request));
  const chosen: ChosenTopic[] = [];
  let left = room;
  for (const { name, text } of candidates) {
    if (text.length <= left) chosen.push({ name, text, isWhole: true });
    else if (left >= MIN_CUT_CHARS)
      chosen.push({ name, text: text.slice(0, left).toWellFormed(), isWhole: false });
    else break;
    left -= Math.min(text.length, left);
  }
  chosen.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { index: index.join('\n'), topics: chosen, unlisted: topics.length - index.length };
}

/** The topics that share a word with the request, best first. A word in the name or the line counts for more. */
function ranked(topics: readonly Topic[], words: ReadonlySet<string>): Topic[] {
  const scored = topics.map((topic) => ({ topic, score: score(topic, words) }));
  return scored
    .filter(({ score: points }) => points > 0)
    .sort((a, b) => b.score - a.score || (a.topic.name < b.topic.name ? -1 : 1))
    .map(({ topic }) => topic);
}

function score({ name, line, text }: Topic, words: ReadonlySet<string>): number {
  const head = wordsOf(`${name} ${line}`);
  const body = wordsOf(text);
  let points = 0;
  for (const word of words) points += head.has(word) ? 3 : body.has(word) ? 1 : 0;
  return points;
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= MIN_WORD_CHARS));
}
