import type { StoaProblem, Writing } from '@stoa/client';
import type { MessageList } from './message-list.js';
import type { Pending } from './pending.js';

/** What is shown of a channel. */
export interface ChannelView {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly problem: StoaProblem | undefined;
  /** A stretch of the log without holes. */
  readonly messages: MessageList;
  readonly hasOlder: boolean;
  /** Whether the stretch ends before the log does, as after a jump into the past. */
  readonly hasNewer: boolean;
  readonly loading: 'older' | 'newer' | undefined;
  readonly pending: readonly Pending[];
  readonly writing: readonly Writing[];
}

export const EMPTY: ChannelView = {
  status: 'loading',
  problem: undefined,
  messages: [],
  hasOlder: false,
  hasNewer: false,
  loading: undefined,
  pending: [],
  writing: [],
};

/** What who comes back sees until the end of the log is read again. */
export function leftBehind(view: ChannelView, atMost: number): ChannelView {
  const { hasNewer, hasOlder, messages, status } = view;
  if (status !== 'ready' || hasNewer) return EMPTY;
  const kept = messages.slice(-atMost);
  return {
    ...view,
    messages: kept,
    hasOlder: hasOlder || kept.length < messages.length,
    loading: undefined,
    writing: [],
  };
}
