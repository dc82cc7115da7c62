import { type AgentDefinition, channelTopic, LIMITS, SYSTEM, textOf } from '@stoa/protocol';
import { listChannelsOf, listEventsOfTypeBefore, listSessions, type Tx } from '@stoa/store';
import { isOutdated, isSameDefinition } from '../agents/outdated.js';
import { dataOf } from '../kernel/codec.js';
import type { Decision } from '../kernel/log.js';
import { AFTER_ALL_IDS } from '../kernel/paging.js';
import type { SessionContext } from '../sessions/context.js';
import { personaOf } from '../sessions/session-gate.js';
import { channelToChange } from './channel-gate.js';
import { publishMessage, SYSTEM_AUTHOR } from './publish-message.js';

const PAGE = 200;

/**
 * Posts a message of the system, which opens no turn, to each channel with sessions that use the replaced definition
 * of an agent. Sessions that were outdated before are not named again.
 */
export async function announceDefinition(
  context: SessionContext,
  agentId: string,
  before: AgentDefinition | undefined,
): Promise<void> {
  const outdated = await newlyOutdated(context, agentId, before);
  const byChannel = await channelsOf(context, outdated);
  for (const [channelId, sessionIds] of byChannel) {
    try {
      await announceIn(context, channelId, agentId, sessionIds);
    } catch (error) {
      context.diagnose('a changed definition could not be announced', { channelId, error });
    }
  }
}

async function newlyOutdated(
  { store, findAgent }: SessionContext,
  agentId: string,
  replaced: AgentDefinition | undefined,
): Promise<string[]> {
  const found: string[] = [];
  let before = AFTER_ALL_IDS;
  for (;;) {
    const page = { before, agentId, responsibleId: null, ended: 'exclude', limit: PAGE };
    const rows = await store.read(() => listSessions.all(page));
    for (const { sessionId, workspace, persona } of rows) {
      const { definition } = personaOf(persona);
      if (replaced && !isSameDefinition(replaced, definition)) continue;
      if (await isOutdated(findAgent, { agentId, workspace, definition })) found.push(sessionId);
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return found;
    before = last.sessionId;
  }
}

async function channelsOf(
  { store }: SessionContext,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byChannel = new Map<string, string[]>();
  for (const sessionId of sessionIds) {
    const actorId = `session:${sessionId}`;
    for (const { channelId } of await store.read(() => listChannelsOf.all({ actorId }))) {
      byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), sessionId]);
    }
  }
  return byChannel;
}

function announceIn(
  { log, ids }: SessionContext,
  channelId: string,
  agentId: string,
  all: readonly string[],
): Promise<void> {
  const sessionIds = all.slice(0, LIMITS.refreshedAtOnce);
  const more = all.length - sessionIds.length;
  const rest =
    more === 0 ? '' : ` (and ${String(more)} more: stoa session list --agent ${agentId})`;
  const text = `Definition changed: refresh ${agentId} with: stoa session refresh ${sessionIds.join(' ')}${rest}`;
  return log.write({
    actor: 'system',
    lane: channelTopic(channelId),
    open: () => channelToChange(SYSTEM, channelId),
    *decide(channel): Tx<Decision<void>> {
      const isRepeated = (yield* lastTextIn(channel.topicId)) === text;
      if (channel.archivedAt !== null || isRepeated) return { events: [], answer: () => undefined };
      const { events } = yield* publishMessage(channel, {
        messageId: ids.next('msg'),
        author: SYSTEM_AUTHOR,
        addressedMemberIds: [],
        inputItems: [{ type: 'text', text }],
        metadata: { definitionChanged: { agentId, sessionIds } },
      });
      return { events, answer: () => undefined };
    },
  });
}

/** A definition that is changed back and forth must not fill a channel with the same notice. */
function* lastTextIn(topicId: number): Tx<string> {
  const before = Number.MAX_SAFE_INTEGER;
  const page = { topicId, type: 'message_posted', after: 0, before, limit: 1 };
  const [last] = yield* listEventsOfTypeBefore.all(page);
  return last ? textOf(dataOf('message_posted', last).inputItems) : '';
}
