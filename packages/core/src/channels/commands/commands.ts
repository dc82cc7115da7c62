import { StoaError } from '@stoa/protocol';
import { cancel } from './cancel.js';
import { clear } from './clear.js';
import type { ChannelCommand } from './command.js';
import { pause, resume } from './pause.js';
import { status } from './status.js';
import { who } from './who.js';

const help: ChannelCommand = {
  name: 'help',
  what: 'list the commands',
  run: () => ({
    line: `${list((command) => `${usage(command)} (${command.what})`)}. ${ESCAPE}`,
  }),
};

const COMMANDS: readonly ChannelCommand[] = [who, status, cancel, clear, pause, resume, help];
const ESCAPE = 'To post a text that begins with a slash, write two slashes.';

const usage = ({ name, takes }: ChannelCommand): string =>
  takes === undefined ? `/${name}` : `/${name} ${takes}`;
const list = (words: (command: ChannelCommand) => string): string => COMMANDS.map(words).join(', ');

/** Throws `unknown_command` with a list of the commands. */
export function commandCalled(name: string, rest: string): ChannelCommand {
  const command = COMMANDS.find((known) => known.name === name);
  if (!command) {
    const given = name.slice(0, 40).toWellFormed();
    throw new StoaError(
      'unknown_command',
      `There is no command /${given}. Commands: ${list(usage)}. ${ESCAPE}`,
    );
  }
  if (rest === '' || command.takes !== undefined) return command;
  throw new StoaError('invalid_request', `/${name} takes no argument. ${ESCAPE}`);
}
