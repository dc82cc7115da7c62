import { channelTopic, SYSTEM } from '@stoa/protocol';
import { findTurn, listIdleWork, type Tx } from '@stoa/store';
import { channelToChange } from '../channels/channel-gate.js';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import { eachIsolated } from '../kernel/each-isolated.js';
import type { Decision } from '../kernel/log.js';
import { reportInThread } from './add-stimulus.js';
import type { StimulusContext } from './context.js';

/** The shortest time that a policy may set. */
const SHORTEST_MS = 60_000;
const MAX_CHECKED = 500;

/**
 * Asks about open work in threads without messages for a time that the channel's policy sets. Once, until somebody writes
 * again.
 */
export async function followUpIdleThreads(context: StimulusContext): Promise<void> {
  const now = context.clock.now();
  const page = { before: now - SHORTEST_MS, asks: '%"threadIdleFollowUpMs"%', limit: MAX_CHECKED };
  const works = await context.store.read(() => listIdleWork.all(page));
  const idle = works.filter(({ settings, lastAt }) => {
    const { threadIdleFollowUpMs } = policyOf(settingsOf(settings));
    return threadIdleFollowUpMs !== undefined && lastAt <= now - threadIdleFollowUpMs;
  });
  const ids = idle.map(({ channelId, rootMessageId, lastAt }) => ({
    channelId,
    rootMessageId,
    lastAt,
  }));
  await eachIsolated(context, 'an idle thread could not be followed up', ids, (work) =>
    followUp(context, work.channelId, work.rootMessageId, now - work.lastAt),
  );
}

function followUp(
  context: StimulusContext,
  channelId: string,
  rootMessageId: string,
  idleMs: number,
): Promise<void> {
  return context.log.write({
    actor: 'system',
    lane: channelTopic(channelId),
    open: () => channelToChange(SYSTEM, channelId),
    *decide(channel, at): Tx<Decision<void>> {
      const turn = yield* findTurn.first({ topicId: channel.topicId, rootMessageId });
      if (turn?.isOpen === 1) return { events: [], answer: () => undefined };
      const news = {
        kind: 'thread_idle_followup' as const,
        threadRootMessageId: rootMessageId,
        content: `Nobody has written here for ${inWords(idleMs)}, and the work is open. Is it done, is it stuck, what is next?`,
        dedupeKey: `idle:${rootMessageId}`,
      };
      const events = yield* reportInThread(context, channel, news, at);
      return { events, answer: () => undefined };
    },
  });
}

function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return `${String(minutes)} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} hours` : `${String(Math.floor(hours / 24))} days`;
}
