import type { EventData } from '@stoa/protocol';
import type { LeaseRow, Tx } from '@stoa/store';
import type { Assets } from '../assets/assets.js';
import { defineHook } from '../kernel/hooks.js';
import type { Kernel } from '../kernel/kernel.js';
import type { NewEvent } from '../kernel/log.js';
import type { SessionContext } from '../sessions/context.js';
import type { OpenChannel } from './channel-gate.js';

export interface ChannelContext extends Kernel {
  readonly assets: Assets;
  /** `/clear` needs it to clear sessions that are members. */
  readonly sessionContext: SessionContext;
}

/** A person posted in a channel with sessions. `byHand` are sessions that are started in any participation mode. */
export const MESSAGE_POSTED = defineHook<
  [
    channel: OpenChannel,
    posted: EventData<'message_posted'>,
    at: number,
    options: { readonly byHand?: readonly string[] | undefined },
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

/** After a cancellation the next session may speak, or the turns are closed. */
export type AfterCancel = 'pass_on' | 'close';

/** A person cancels leases and their runs. */
export const LEASES_CANCELLED = defineHook<
  [channel: OpenChannel, leases: readonly LeaseRow[], then: AfterCancel, at: number],
  Tx<readonly NewEvent[]>
>('leases cancelled');

/** A channel is about to be deleted. A handler that depends on the channel throws. */
export const CHANNEL_DELETING = defineHook<
  [channel: OpenChannel, at: number],
  Tx<readonly NewEvent[]>
>('channel deleting');

/** A member left a channel. */
export const MEMBER_LEFT = defineHook<
  [channelId: string, actorId: string, at: number],
  Tx<readonly NewEvent[]>
>('member left');
