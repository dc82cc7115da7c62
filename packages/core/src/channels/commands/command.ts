import type { Principal } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../../kernel/log.js';
import type { JoinedChannel } from '../channel-gate.js';
import type { ChannelContext } from '../context.js';

/** A command as somebody gave it, in a channel whose row is locked. */
export interface CommandCall {
  readonly context: ChannelContext;
  readonly by: Principal;
  readonly channel: JoinedChannel;
  /** The thread it was given in, if any. */
  readonly threadRootMessageId: string | undefined;
  readonly rest: string;
  readonly at: number;
}

/** What a command did, and the line that everybody is told. */
export interface Told {
  readonly line: string;
  readonly events?: readonly NewEvent[];
}

/** Something people can have done by writing it in a channel. What it refuses leaves nothing behind. */
export interface ChannelCommand {
  readonly name: string;
  /** What may follow, as it is shown; without it nothing may. */
  readonly takes?: string;
  readonly what: string;
  run(call: CommandCall): Tx<Told> | Told;
}
