import type { Command } from 'commander';
import type { ClearMemoryOptions, ForgetOptions } from '../commands/memory.js';
import { inGroup, type Runner, runs } from './define.js';

function addMemoryCommands(program: Command, run: Runner): void {
  const memory = program.command('memory').description('show and delete what agents remember');
  const load = () => import('../commands/memory.js');
  const on = (name: string, summary: string): Command =>
    memory
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  const onOne = (name: string, summary: string): Command =>
    on(name, summary).argument('<memory>', 'namespace, such as channel:ops, or id of the memory');
  runs(on('list', 'list memories'), run, async () => (await load()).listMemories, []);
  runs(
    onOne('show', 'show the files and the notes of a memory'),
    run,
    async () => (await load()).showMemory,
    ['stoa memory show channel:ops'],
  );
  runs<ForgetOptions>(
    onOne('path', 'print the directory of the files of a memory').option(
      '--isolated',
      'the isolated ones',
    ),
    run,
    async () => (await load()).memoryPath,
    ['$EDITOR "$(stoa memory path channel:ops)"'],
  );
  runs<ForgetOptions>(
    onOne('forget', 'delete a note or a file')
      .argument('<what>', 'id of the note (nte_…) or name of the file (deploy.md)')
      .option('--isolated', 'an isolated file'),
    run,
    async () => (await load()).forget,
    ['stoa memory forget channel:ops nte_…', 'stoa memory forget channel:ops deploy.md'],
  );
  runs(
    onOne('status', 'show whether a memory would be tidied now, and if not, why'),
    run,
    async () => (await load()).dreamStatus,
    ['stoa memory status channel:ops'],
  );
  runs<ForgetOptions>(
    onOne('dream', 'tidy a memory now, in the background').option(
      '--isolated',
      'the isolated part',
    ),
    run,
    async () => (await load()).dream,
    ['stoa memory dream channel:ops'],
  );
  runs<ClearMemoryOptions>(
    onOne('clear', 'erase all notes and files of a memory for good').option(
      '--yes',
      'really erase them',
    ),
    run,
    async () => (await load()).clearMemory,
    ['stoa memory clear channel:ops --yes'],
  );
}

export const memoryCommands = inGroup('Agents:', addMemoryCommands);
