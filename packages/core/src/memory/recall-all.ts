import { findMemory, type Store } from '@stoa/store';
import type { Secrets } from '../ports.js';
import type { ChosenTopic } from './choose-topics.js';
import { type MemoryFiles, memoryDirectory } from './memory-files.js';
import { memoryIdOf } from './memory-id.js';
import { type Recalled, type RecallRequest, type Rememberer, recall } from './recall.js';
import { type Topic, topicsOf } from './topics.js';

export interface MemoryReading {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly memoryFiles: MemoryFiles;
}

/** The result of a search in a memory: notes, the index of its files, and the topics that match. */
export interface RecalledAll extends Recalled {
  readonly index: readonly { readonly name: string; readonly line: string }[];
  readonly topics: readonly ChosenTopic[];
  /** The number of further topics that match. */
  readonly moreTopics: number;
}

export interface RecallAllRequest extends RecallRequest {
  /** The name of a topic to read in full. */
  readonly topic?: string | undefined;
}

const TOPICS_CHARS = 12_000;

export async function recallAll(
  ports: MemoryReading,
  rememberer: Rememberer,
  request: RecallAllRequest,
): Promise<RecalledAll> {
  const notes = await ports.store.read(() => recall(ports.secrets, rememberer, request));
  const topics = await topicsFor(ports, rememberer, notes.namespace);
  const index = topics.map(({ name, line }) => ({ name, line }));
  const { topic, query } = request;
  const matching = topics.filter((one) =>
    topic === undefined ? query !== undefined && hasAll(one, query) : isNamed(one, topic),
  );
  const chosen = fitted(matching);
  const moreTopics = matching.length - chosen.length;
  if (topic !== undefined)
    return { ...notes, notes: [], more: 0, index, topics: chosen, moreTopics };
  return { ...notes, index, topics: chosen, moreTopics };
}

/**
 * The topics of a namespace that a run may read. `recall` has checked its access to the namespace. Isolated topics are
 * visible only from their own namespace.
 */
export async function topicsFor(
  { store, secrets, memoryFiles }: MemoryReading,
  { ownerId, memoryScope }: Rememberer,
  namespace: string,
): Promise<Topic[]> {
  const memoryId = memoryIdOf(secrets, ownerId, namespace);
  const memory = await store.read(() => findMemory.first({ memoryId }));
  if (!memory) return [];
  const shared = topicsOf(await memoryFiles.read(memoryDirectory(memory, 'shared')), 'shared');
  if (namespace !== memoryScope.namespace) return shared;
  const isolated = await memoryFiles.read(memoryDirectory(memory, 'isolated'));
  return [...shared, ...topicsOf(isolated, 'isolated')];
}

const isNamed = ({ name }: Topic, wanted: string): boolean =>
  name === wanted || name === `${wanted}.md`;

function hasAll({ name, text }: Topic, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = `${name}\n${text}`.toLowerCase();
  return words.length > 0 && words.every((word) => all.includes(word));
}

/** As many topics as fit. The first is always included, and cut if it is too long. */
function fitted(topics: readonly Topic[]): ChosenTopic[] {
  const chosen: ChosenTopic[] = [];
  let left = TOPICS_CHARS;
  for (const { name, text } of topics) {
    if (text.length > left && chosen.length > 0) break;
    const isWhole = text.length <= left;
    chosen.push({ name, text: isWhole ? text : text.slice(0, left).toWellFormed(), isWhole });
    left -= text.length;
  }
  return chosen;
}
