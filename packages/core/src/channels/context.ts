import type { LeaseRow, Tx } from '@stoa/store';
import type { Assets } from '../assets/assets.js';
import { defineHook } from '../kernel/hooks.js';
import type { Kernel } from '../kernel/kernel.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import type { OpenChannel } from './channel-gate.js';
import type { Posted } from './publish-message.js';

/** What the operations of channels work with. */
export interface ChannelContext extends Kernel {
  readonly assets: Assets;
  /** To clear sessions that are members. */
  readonly sessionContext: SessionContext;
}

/** A person posted in a channel with sessions. `byHand` names members that were started by hand. */
export const MESSAGE_POSTED = defineHook<
  [
    channel: OpenChannel,
    posted: Posted,
    at: number,
    how: { readonly byHand?: readonly string[] | undefined },
  ],
  Tx<readonly NewEvent[]>
>('message posted');

/** A channel continues after a pause. */
export const CHANNEL_RESUMED = defineHook<
  [channel: OpenChannel, at: number],
  Tx<readonly NewEvent[]>
>('channel resumed');

/** A channel is no longer archived. */
export const CHANNEL_UNARCHIVED = defineHook<
  [channel: OpenChannel, at: number],
  Tx<readonly NewEvent[]>
>('channel unarchived');

/** Leases are cancelled, and their runs: the next may speak (`pass_on`), or the turns are over (`close`). */
export const LEASES_CANCELLED = defineHook<
  [channel: OpenChannel, leases: readonly LeaseRow[], then: 'pass_on' | 'close', at: number],
  Tx<readonly NewEvent[]>
>('leases cancelled');

/** A channel is about to be deleted: who counts on it refuses that. */
export const CHANNEL_DELETING = defineHook<
  [channel: OpenChannel, at: number],
  Tx<readonly NewEvent[]>
>('channel deleting');

/** A member left a channel. */
export const MEMBER_LEFT = defineHook<
  [channelId: string, actorId: string, at: number],
  Tx<readonly NewEvent[]>
>('member left');
