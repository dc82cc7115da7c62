import { execFileSync } from 'node:child_process';
import { cleanEnvironment, PROGRAM } from '@stoa/testkit';

export interface CommandLine {
  /** Every command by its words: `channel list`. */
  readonly commands: ReadonlySet<string>;
  /** Every long option of any of them. */
  readonly options: ReadonlySet<string>;
}

/** The command line as the program itself explains it. */
export function commandLine(): CommandLine {
  const commands = new Set<string>();
  const options = new Set<string>();
  const visit = (words: readonly string[]): void => {
    const help = stoa([...words, '--help']);
    for (const [, option = ''] of help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm))
      options.add(option);
    for (const name of subcommandsIn(help)) {
      commands.add([...words, name].join(' '));
      visit([...words, name]);
    }
  };
  visit([]);
  return { commands, options };
}

export function stoa(args: readonly string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: cleanEnvironment(),
  });
}

/** Commands stand under headings of their own, indented by two, as `name|alias [options] <argument>`. */
function subcommandsIn(help: string): string[] {
  const sections = help.split(/^(?=\S.*:$)/m);
  return sections
    .filter(
      (section) => !/^(?:Usage|Arguments|(?:Global )?Options|Examples|Exit codes)/.test(section),
    )
    .flatMap((section) => [...section.matchAll(/^ {2}([a-z]+)(?:\|[a-z]+)?(?= |$)/gm)])
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
}
