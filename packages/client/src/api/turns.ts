import type { Lease, StampedDecision } from '@stoa/protocol';
import type { Answer, Caller, CallOptions } from '../http/caller.js';
import type { QueryFor } from './query.js';

export type DecisionPage = Answer<'listDecisions'>;

/** Who speaks in channels, and why. */
export interface TurnsApi {
  /** Those that are live unless told otherwise; newest first. */
  leases(
    channelId: string,
    query?: QueryFor<'listLeases'>,
    options?: CallOptions,
  ): Promise<readonly Lease[]>;
  /** About the thread of a root message; newest first. */
  decisions(
    channelId: string,
    rootMessageId: string,
    query?: QueryFor<'listDecisions'>,
    options?: CallOptions,
  ): Promise<DecisionPage>;
  /** All of them, page by page. */
  decisionPages(
    channelId: string,
    rootMessageId: string,
    query?: QueryFor<'listDecisions'>,
    options?: CallOptions,
  ): AsyncIterable<readonly StampedDecision[]>;
}

export function turnsApi(call: Caller): TurnsApi {
  const decisions: TurnsApi['decisions'] = (channelId, messageId, query, options) =>
    call('listDecisions', { params: { channelId, messageId }, query, ...options });
  return {
    leases: async (channelId, query, options) =>
      (await call('listLeases', { params: { channelId }, query, ...options })).leases,
    decisions,
    async *decisionPages(channelId, rootMessageId, query, options) {
      let before = query?.before;
      do {
        const page = await decisions(channelId, rootMessageId, { ...query, before }, options);
        yield page.decisions;
        before = page.nextBefore;
      } while (before !== undefined);
    },
  };
}
