import type { Command } from 'commander';
import { commandTree } from '../completion/command-tree.js';
import { scriptFor } from '../completion/script.js';
import type { Shell } from '../completion/shells.js';
import type { CommandRun } from '../run-command.js';

/** The script is generated from the program itself: it cannot know another command line. */
export function completionOf(program: Command): CommandRun {
  return (context, [shell]) => {
    context.io.out(scriptFor(shell as Shell, commandTree(program)));
    return undefined;
  };
}
