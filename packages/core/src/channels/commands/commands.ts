import { StoaError } from '@stoa/protocol';
import { cancel } from './cancel.js';
import { clear } from './clear.js';
import type { ChannelCommand } from './command.js';
import { pause, resume } from './pause.js';
import { status } from './status.js';
import { who } from './who.js';

const help: ChannelCommand = {
  name: 'help',
  what: 'what can be said here',
  run: () => ({
    line: `${list((command) => `${usage(command)} (${command.what})`)}. ${ESCAPE}`,
  }),
};

const COMMANDS: readonly ChannelCommand[] = [who, status, cancel, clear, pause, resume, help];
const ESCAPE = 'A text that begins with a slash is posted by writing two.';

const usage = ({ name, takes }: ChannelCommand): string =>
  takes === undefined ? `/${name}` : `/${name} ${takes}`;
const list = (words: (command: ChannelCommand) => string): string => COMMANDS.map(words).join(', ');

/** Throws `unknown_command`, naming what there is. */
export function commandCalled(name: string, rest: string): ChannelCommand {
  const command = COMMANDS.find((known) => known.name === name);
  if (!command) {
    const given = name.slice(0, 40).toWellFormed();
    throw new StoaError(
      'unknown_command',
      `There is no command /${given}. There are ${list(usage)}. ${ESCAPE}`,
    );
  }
  if (rest === '' || command.takes !== undefined) return command;
  throw new StoaError('invalid_request', `/${name} stands alone. ${ESCAPE}`);
}
