import { findMemory, type Store } from '@stoa/store';
import type { Secrets } from '../ports.js';
import type { ToldTopic } from './choose-topics.js';
import { type MemoryFiles, memoryDirectory } from './memory-files.js';
import { memoryIdOf } from './memory-id.js';
import { type Recalled, type RecallRequest, type Rememberer, recall } from './recall.js';
import { type Topic, topicsOf } from './topics.js';

export interface MemoryReading {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly memoryFiles: MemoryFiles;
}

/** What an agent finds in a memory: notes, and of its files the index and those that fit. */
export interface RecalledAll extends Recalled {
  readonly index: readonly { readonly name: string; readonly line: string }[];
  readonly topics: readonly ToldTopic[];
  /** How many more topics fit. */
  readonly moreTopics: number;
}

export interface RecallAllRequest extends RecallRequest {
  /** A topic by name, all of it. */
  readonly topic?: string | undefined;
}

const TOPICS_TOLD_CHARS = 12_000;

export async function recallAll(
  ports: MemoryReading,
  rememberer: Rememberer,
  request: RecallAllRequest,
): Promise<RecalledAll> {
  const notes = await ports.store.read(() => recall(ports.secrets, rememberer, request));
  const topics = await topicsFor(ports, rememberer, notes.namespace);
  const index = topics.map(({ name, line }) => ({ name, line }));
  const { topic, query } = request;
  const fitting = topics.filter((one) =>
    topic === undefined ? query !== undefined && hasAll(one, query) : isNamed(one, topic),
  );
  const told = toldWithin(fitting);
  const moreTopics = fitting.length - told.length;
  if (topic !== undefined) return { ...notes, notes: [], more: 0, index, topics: told, moreTopics };
  return { ...notes, index, topics: told, moreTopics };
}

/**
 * The topics under a namespace that may be seen from where somebody looks. Whether they may look there at all was
 * decided with the notes; what is held apart is seen under its own namespace only.
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
  const apart = await memoryFiles.read(memoryDirectory(memory, 'isolated'));
  return [...shared, ...topicsOf(apart, 'isolated')];
}

const isNamed = ({ name }: Topic, wanted: string): boolean =>
  name === wanted || name === `${wanted}.md`;

function hasAll({ name, text }: Topic, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = `${name}\n${text}`.toLowerCase();
  return words.length > 0 && words.every((word) => all.includes(word));
}

/** As many as fit; one always does, cut where it is too long. */
function toldWithin(topics: readonly Topic[]): ToldTopic[] {
  const told: ToldTopic[] = [];
  let left = TOPICS_TOLD_CHARS;
  for (const { name, text } of topics) {
    if (text.length > left && told.length > 0) break;
    const isWhole = text.length <= left;
    told.push({ name, text: isWhole ? text : text.slice(0, left).toWellFormed(), isWhole });
    left -= text.length;
  }
  return told;
}
