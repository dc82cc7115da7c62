import { channelTopic, SYSTEM } from '@stoa/protocol';
import { findTurn, listIdleWork, type Tx } from '@stoa/store';
import { channelToChange } from '../channels/channel-gate.js';
import { policyOf, settingsOf } from '../channels/channel-settings.js';
import type { Decision } from '../kernel/log.js';
import { tellThread } from './add-stimulus.js';
import type { StimulusContext } from './context.js';

const LOOK_EVERY_MS = 30_000;
/** The least that a channel may ask for. */
const SHORTEST_MS = 60_000;
const LOOKED_AT = 500;

/**
 * Asks about open work that nothing was said about for a while, in channels whose policy wants it: once,
 * until somebody says something again.
 */
export class IdleThreads {
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: StimulusContext) {}

  async look(): Promise<void> {
    const { store, clock, diagnose } = this.context;
    const now = clock.now();
    // A clock that was set back must not keep this from looking.
    if (now >= this.#lookedAt && now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const page = { before: now - SHORTEST_MS, asks: '%"threadIdleFollowUpMs"%', limit: LOOKED_AT };
    for (const work of await store.read(() => listIdleWork.all(page))) {
      const { threadIdleFollowUpMs } = policyOf(settingsOf(work.settings));
      if (threadIdleFollowUpMs === undefined || work.lastAt > now - threadIdleFollowUpMs) continue;
      try {
        await this.#followUp(work.channelId, work.rootMessageId, now - work.lastAt);
      } catch (error) {
        const { channelId } = work;
        diagnose('an idle thread could not be followed up', { channelId, error });
      }
    }
  }

  #followUp(channelId: string, rootMessageId: string, idleMs: number): Promise<void> {
    const { context } = this;
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
          content: `Nothing was said here for ${inWords(idleMs)}, and the work is open. Is it done, is it stuck, what is next?`,
          dedupeKey: `idle:${rootMessageId}`,
        };
        const events = yield* tellThread(context, channel, news, at);
        return { events, answer: () => undefined };
      },
    });
  }
}

function inWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 120) return `${String(minutes)} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} hours` : `${String(Math.floor(hours / 24))} days`;
}
