import { type Principal, parseTopic, StoaError } from '@stoa/protocol';
import type { Store } from '@stoa/store';
import { channelToRead } from '../access/gate.js';
import { memoryOf } from '../access/memory-gate.js';
import { projectToRead } from '../access/project-gate.js';
import { sessionToRead } from '../access/session-gate.js';

/**
 * Channels and projects are public to people; a session's topic and a memory's are for whom they work; a person's is
 * theirs alone.
 */
export async function assertMayFollow(
  store: Store,
  principal: Principal,
  topic: string,
): Promise<void> {
  const parsed = parseTopic(topic);
  if (!parsed) throw new StoaError('topic_not_found', `${topic} is not the name of a topic`);
  if (parsed.kind === 'channel') {
    await store.read(() => channelToRead(principal, parsed.id));
    return;
  }
  if (parsed.kind === 'project') {
    await store.read(() => projectToRead(principal, parsed.id));
    return;
  }
  if (parsed.kind === 'session') {
    await store.read(() => sessionToRead(principal, parsed.id));
    return;
  }
  if (parsed.kind === 'memory') {
    await store.read(() => memoryOf(principal, parsed.id));
    return;
  }
  if (principal.kind === 'human' && principal.id === parsed.id) return;
  throw new StoaError('forbidden', 'The topic of a person can only be followed by that person');
}
