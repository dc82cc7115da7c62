import { z } from 'zod';
import * as nouns from '../nouns.js';
import { isTopic, type Topic } from './define-topic.js';

type Nouns = typeof nouns;

/** The topics that nouns declare. */
export type Topics = Extract<Nouns[keyof Nouns], Topic>;
export const TOPICS: readonly Topics[] = Object.values<unknown>(nouns).filter(isTopic) as Topics[];

export type TopicKind = Topics['kind'];

const kinds = TOPICS.map(({ kind }) => kind).sort();

/** The name of an event stream without gaps that a client can follow and resume. */
export const TopicName = z
  .string()
  .regex(new RegExp(`^(?:${kinds.join('|')}):[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$`));

export function parseTopic(topic: string): { kind: TopicKind; id: string } | undefined {
  if (!TopicName.safeParse(topic).success) return undefined;
  const colon = topic.indexOf(':');
  return { kind: topic.slice(0, colon) as TopicKind, id: topic.slice(colon + 1) };
}
