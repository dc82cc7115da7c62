import { Command, Help, type Option } from 'commander';
import type { Io } from '../io.js';
import * as nouns from '../nouns.js';
import { HELP_GROUPS, type NounCommands, type Runner } from './define.js';

export interface ProgramParts {
  readonly version: string;
  readonly io: Pick<Io, 'out' | 'err' | 'columns'>;
  readonly run: Runner;
}

const AFTER_HELP = `
The daemon is found through --url, STOA_URL, STOA_PORT, or the data directory (--home, STOA_HOME,
default ~/.stoa); the token through --token-file, STOA_TOKEN, or the data directory.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon answers, 4 not allowed.
What stoa run ends with: stoa run --help.

Examples:
  $ stoa serve
  $ stoa channel create "General" --id general
  $ stoa send general "Hello, everyone"
  $ stoa tail general --follow
  $ stoa run "list the files here and tell me what this is"`;

/** Also which of the options cannot be left out. */
function optionDescription(option: Option): string {
  const description = Help.prototype.optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

/** The whole command line: names, options and help, without what the commands do. */
export function buildProgram({ version, io, run }: ProgramParts): Command {
  const program = new Command('stoa')
    .description('Durable public channels for people and AI agents.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON for scripts')
    .option('--home <directory>', 'data directory (STOA_HOME)')
    .option('--url <address>', 'address of the daemon (STOA_URL)')
    .option('--token-file <file>', 'file that holds the token')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .configureOutput({
      writeOut: (text) => io.out(text),
      // The caller reports the problem once, like every other failure.
      writeErr: (text) => {
        if (!text.startsWith('error:')) io.err(text);
      },
      getOutHelpWidth: () => Math.min(io.columns ?? 100, 100),
      getErrHelpWidth: () => Math.min(io.columns ?? 100, 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', AFTER_HELP);
  const all = Object.values<NounCommands>(nouns);
  for (const group of HELP_GROUPS) {
    program.commandsGroup(group);
    for (const commands of all) if (commands.group === group) commands.add(program, run);
  }
  program.addHelpCommand(
    new Command('help')
      .argument('[command]', 'the command')
      .description('show the help of a command')
      .helpGroup('Daemon:'),
  );
  return program;
}
