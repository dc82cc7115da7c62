import type { Principal } from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import type { NewEvent } from '../../kernel/log.js';
import type { JoinedChannel } from '../channel-gate.js';
import type { ChannelContext } from '../context.js';

/** A command that a person gave, in a channel whose row is locked. */
export interface CommandCall {
  readonly context: ChannelContext;
  readonly by: Principal;
  readonly channel: JoinedChannel;
  readonly threadRootMessageId: string | undefined;
  readonly rest: string;
  readonly at: number;
}

export interface CommandResult {
  /** Posted as a message of the system. */
  readonly line: string;
  readonly events?: readonly NewEvent[];
}

/** A command that people can give in a channel. If it throws, nothing is stored. */
export interface ChannelCommand {
  readonly name: string;
  /** Its argument, as the help shows it; undefined if it has none. */
  readonly takes?: string;
  readonly what: string;
  run(call: CommandCall): Tx<CommandResult> | CommandResult;
}
