import { z } from 'zod';

/** A named, densely numbered event stream a client can follow and resume. */
export const TopicName = z
  .string()
  .regex(/^(?:channel|human|memory|project|session):[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);

export type TopicKind = 'channel' | 'human' | 'memory' | 'project' | 'session';

export const channelTopic = (channelId: string): string => `channel:${channelId}`;
export const humanTopic = (humanId: string): string => `human:${humanId}`;

export const memoryTopic = (memoryId: string): string => `memory:${memoryId}`;
export const sessionTopic = (sessionId: string): string => `session:${sessionId}`;

export const projectTopic = (projectId: string): string => `project:${projectId}`;

export function parseTopic(topic: string): { kind: TopicKind; id: string } | undefined {
  if (!TopicName.safeParse(topic).success) return undefined;
  const colon = topic.indexOf(':');
  return { kind: topic.slice(0, colon) as TopicKind, id: topic.slice(colon + 1) };
}
