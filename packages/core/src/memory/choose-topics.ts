import type { Topic } from './topics.js';

/** A topic as it is told; a long one is cut. */
export interface ToldTopic {
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
}

export interface ToldTopics {
  /** A line for each topic, as many as fit. */
  readonly index: string;
  readonly topics: readonly ToldTopic[];
  /** How many are in neither. */
  readonly unlisted: number;
}

/** Of what may be told, the part for the index and the part for whole topics; the rest is for notes. */
const INDEX_SHARE = 1 / 6;
const TOPICS_SHARE = 1 / 2;
const LEAST_WORD = 3;
const LEAST_CUT = 200;

/**
 * What is told of the long-term memory within a budget of characters: the index, and those topics whole that
 * fit what was asked, the best first until the budget is spent. All of them where there is room. They are told in
 * the order of their names, so that the same memory and the same question give the same prompt.
 */
export function chooseTopics(
  topics: readonly Topic[],
  asked: string,
  budgetChars: number,
): ToldTopics {
  const index: string[] = [];
  let indexChars = 0;
  for (const { name, line } of topics) {
    const entry = `- ${name}: ${line}`;
    indexChars += entry.length + 1;
    if (indexChars > budgetChars * INDEX_SHARE) break;
    index.push(entry);
  }
  const room = Math.floor(budgetChars * TOPICS_SHARE);
  const isAllTold = topics.reduce((sum, { text }) => sum + text.length, 0) <= room;
  const chosen = isAllTold ? topics : ranked(topics, wordsOf(asked));
  const told: ToldTopic[] = [];
  let left = room;
  for (const { name, text } of chosen) {
    if (text.length <= left) told.push({ name, text, isWhole: true });
    else if (left >= LEAST_CUT)
      told.push({ name, text: text.slice(0, left).toWellFormed(), isWhole: false });
    else break;
    left -= Math.min(text.length, left);
  }
  told.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { index: index.join('\n'), topics: told, unlisted: topics.length - index.length };
}

/** Those that have a word of what was asked, the best first: a word in the name or the line counts for more. */
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
  return new Set(words.filter((word) => word.length >= LEAST_WORD));
}
