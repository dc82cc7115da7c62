import type { Command } from 'commander';
import type { ClearMemoryOptions } from '../commands/memory.js';
import { type Runner, runs } from './define.js';

export function addMemoryCommands(program: Command, run: Runner): void {
  const memory = program.command('memory').description('see and delete what agents remember');
  const load = () => import('../commands/memory.js');
  const on = (name: string, summary: string): Command =>
    memory
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  const onOne = (name: string, summary: string): Command =>
    on(name, summary).argument('<memory>', 'namespace, such as channel:ops, or id of the memory');
  runs(on('list', 'list memories'), run, async () => (await load()).listMemories, []);
  runs(onOne('show', 'show the notes of a memory'), run, async () => (await load()).showMemory, [
    'stoa memory show channel:ops',
  ]);
  runs(
    onOne('forget', 'delete a note').argument('<note>', 'id of the note (nte_…)'),
    run,
    async () => (await load()).forgetNote,
    ['stoa memory forget channel:ops nte_…'],
  );
  runs<ClearMemoryOptions>(
    onOne('clear', 'erase all notes of a memory for good').option('--yes', 'really erase them'),
    run,
    async () => (await load()).clearMemory,
    ['stoa memory clear channel:ops --yes'],
  );
}
