import { TASK_STATUSES } from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type { TasksOptions } from '../commands/tasks.js';
import { described, inGroup, pageSize, type Runner, runs } from './define.js';

const WITHOUT_COMMAND = `
Without a command it lists: stoa tasks --status running, stoa tasks tsk_…, stoa tasks tsk_… --follow.
The options for that: stoa tasks list --help`;

function addTaskCommands(program: Command, run: Runner): void {
  const tasks = program
    .command('tasks')
    .description('list, watch and stop background tasks')
    .addHelpText('after', WITHOUT_COMMAND);
  const load = () => import('../commands/tasks.js');
  const onOne = (name: string, summary: string): Command =>
    described(tasks, name, summary).argument('<task>', 'task id (tsk_…)');

  runs<TasksOptions>(
    described(tasks, 'list', 'list background tasks, or show one of them', { isDefault: true })
      .argument('[task]', 'show this one (tsk_…)')
      .option('-f, --follow', 'write what it puts out, until it has ended or Ctrl-C')
      .option('--session <session>', 'only of this session')
      .option('--kind <kind>', 'only of this kind: shell, monitor, agent, dream, …')
      .addOption(new Option('--status <status>', 'only in this status').choices(TASK_STATUSES))
      .option('--before <cursor>', 'only those after this cursor in the list')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one a line'),
    run,
    async () => (await load()).tasks,
    ['stoa tasks', 'stoa tasks --status running', 'stoa tasks tsk_…', 'stoa tasks tsk_… --follow'],
  );
  runs(
    described(tasks, 'stop', 'stop it and everything it started; ends when that is gone').argument(
      '<task>',
      'task id (tsk_…), or a session (ses_…): all of it and of those below it, without telling them',
    ),
    run,
    async () => (await load()).stopTask,
    ['stoa tasks stop tsk_…', 'stoa tasks stop ses_…'],
  );
  runs(
    onOne('send', 'give it a message, if it takes any').argument(
      '<text...>',
      'the message; - reads it from standard input',
    ),
    run,
    async () => (await load()).sendToTask,
    ['stoa tasks send tsk_… "look at the other branch too"'],
  );
  runs(
    described(tasks, 'promote', 'send what an agent waits for to the background').argument(
      '<task>',
      'task id (tsk_…), or a session (ses_…) that waits for one thing only',
    ),
    run,
    async () => (await load()).promoteTask,
    [],
  );
  runs(onOne('resume', 'let a paused one go on'), run, async () => (await load()).resumeTask, []);
}

export const taskCommands = inGroup('Agents:', addTaskCommands);
