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
      .option('-f, --follow', 'print its output until it has ended, or Ctrl-C')
      .option('--session <session>', 'only of this session')
      .option('--kind <kind>', 'only of this kind: shell, monitor, agent, dream, …')
      .addOption(new Option('--status <status>', 'only in this status').choices(TASK_STATUSES))
      .option('--before <cursor>', 'only those after this cursor')
      .option('-n, --limit <count>', 'how many', pageSize, 50)
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).tasks,
    ['stoa tasks', 'stoa tasks --status running', 'stoa tasks tsk_…', 'stoa tasks tsk_… --follow'],
  );
  runs(
    described(tasks, 'stop', 'stop it and its processes; ends when they are gone').argument(
      '<task>',
      'task id (tsk_…), or a session (ses_…) for all tasks of it and its sub-sessions, without notices',
    ),
    run,
    async () => (await load()).stopTask,
    ['stoa tasks stop tsk_…', 'stoa tasks stop ses_…'],
  );
  runs(
    onOne('send', 'send it a message, if it accepts messages').argument(
      '<text...>',
      'the message; - reads it from standard input',
    ),
    run,
    async () => (await load()).sendToTask,
    ['stoa tasks send tsk_… "look at the other branch too"'],
  );
  runs(
    described(tasks, 'promote', 'move the call that an agent waits for to the background').argument(
      '<task>',
      'task id (tsk_…), or a session (ses_…) that waits for one call only',
    ),
    run,
    async () => (await load()).promoteTask,
    [],
  );
  runs(onOne('resume', 'resume a paused task'), run, async () => (await load()).resumeTask, []);
}

export const taskCommands = inGroup('Agents:', addTaskCommands);
