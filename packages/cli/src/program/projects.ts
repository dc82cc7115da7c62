import { PROJECT_STATUSES, PROJECT_TASK_STATUSES } from '@stoa/protocol/constants';
import { type Command, Option } from 'commander';
import type {
  CreateProjectOptions,
  DeleteProjectOptions,
  LinkOptions,
  ListProjectsOptions,
  ProjectMemberOptions,
  UpdateProjectOptions,
} from '../commands/project.js';
import type {
  AddTaskOptions,
  ListTasksOptions,
  StartTaskOptions,
  UpdateTaskOptions,
} from '../commands/project-task.js';
import { collect, count, described, inGroup, type Runner, runs } from './define.js';

function addProjectCommands(program: Command, run: Runner): void {
  const project = program.command('project').description('group members, channels and tasks');
  const load = () => import('../commands/project.js');
  const status = (what: string): Option =>
    new Option('--status <status>', what).choices(PROJECT_STATUSES);
  const onOne = (name: string, summary: string): Command =>
    described(project, name, summary).argument('<project>', 'project id');

  runs<ListProjectsOptions>(
    described(project, 'list', 'list projects')
      .argument('[words...]', 'only projects whose id, name or description has these words')
      .addOption(status('only those'))
      .option('--session <session>', 'only those with this session as a member')
      .option('--channel <channel>', 'only those that link this channel')
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listProjects,
    ['stoa project list --status active'],
  );
  runs<CreateProjectOptions>(
    described(project, 'create', 'create a project, and print its id')
      .argument('<name...>', 'name')
      .option('--id <id>', 'id for commands and addresses (default: a new one)')
      .option('--description <text>', 'what it is about'),
    run,
    async () => (await load()).createProject,
    ['stoa project create "New website" --id website'],
  );
  runs(
    onOne('show', 'show a project with its members and channels'),
    run,
    async () => (await load()).showProject,
    [],
  );
  runs<UpdateProjectOptions>(
    onOne('update', 'change name, description or status')
      .option('--name <text>', 'new name')
      .option('--description <text>', 'new description; an empty one clears it')
      .addOption(status('new status')),
    run,
    async () => (await load()).updateProject,
    ['stoa project update website --status paused'],
  );
  runs<DeleteProjectOptions>(
    onOne('delete', 'erase a project and its tasks for good').option('--yes', 'really erase it'),
    run,
    async () => (await load()).deleteProject,
    ['stoa project delete website --yes'],
  );
  runs<ProjectMemberOptions>(
    onOne('member', 'add or change a member, or remove one')
      .argument('<who>', 'id of a person or of a session (ses_…); with --remove, of a member')
      .option('--name <text>', 'the name to show')
      .option('--role <text>', 'the role of the member here')
      .option('--remove', 'remove this member'),
    run,
    async () => (await load()).changeMember,
    ['stoa project member website bob --role design', 'stoa project member website bob --remove'],
  );
  runs<LinkOptions>(
    onOne('link', 'link a channel, or change the link')
      .argument('<channel>', 'channel id')
      .option('--role <text>', 'the purpose of the channel')
      .option('--default', 'start new tasks here')
      .option('--no-default', 'do not start new tasks here any more')
      .option('--mirror', 'make the members of the project members of the channel')
      .option('--no-mirror', 'remove them from the channel again'),
    run,
    async () => (await load()).linkChannel,
    ['stoa project link website design --mirror --default'],
  );
  runs(
    onOne('unlink', 'unlink a channel; members that the project added leave it').argument(
      '<channel>',
      'channel id',
    ),
    run,
    async () => (await load()).unlinkChannel,
    [],
  );
  addTaskCommands(project, run);
}

export const projectCommands = inGroup('Channels and access:', addProjectCommands);

function addTaskCommands(project: Command, run: Runner): void {
  const task = project.command('task').description('manage the tasks of a project');
  const load = () => import('../commands/project-task.js');
  const inProject = (name: string, summary: string): Command =>
    described(task, name, summary).argument('<project>', 'project id');
  const onOne = (name: string, summary: string): Command =>
    inProject(name, summary).argument('<task>', 'task id (ptk_…)');
  const status = (what: string): Option =>
    new Option('--status <status>', what).choices(PROJECT_TASK_STATUSES);

  runs<AddTaskOptions>(
    inProject('add', 'add a task, and print its id')
      .argument('<title...>', 'title')
      .option('--description <text>', 'the task')
      .option('--assignee <member>', 'the member of the project who does it')
      .option('--blocked-by <task>', 'a task that has to be done before (may be repeated)', collect)
      .option('--parent <task>', 'the task it is a part of')
      .option('--key <key>', 'idempotency key: a repeated call with it creates no second one'),
    run,
    async () => (await load()).addTask,
    ['stoa project task add website "Draw the start page" --assignee designer'],
  );
  runs<ListTasksOptions>(
    inProject('list', 'list the tasks of a project, oldest first')
      .addOption(status('only those'))
      .option('--assignee <member>', 'only those of this member')
      .option('-q, --quiet', 'only ids, one per line'),
    run,
    async () => (await load()).listTasks,
    [],
  );
  runs(onOne('show', 'show a task'), run, async () => (await load()).showTask, []);
  runs<UpdateTaskOptions>(
    onOne('update', 'change a task; an empty text clears an optional field')
      .option('--title <text>', 'new title')
      .option('--description <text>', 'new description')
      .option('--assignee <member>', 'the assignee')
      .addOption(status('the status'))
      .option('--output <text>', 'its result'),
    run,
    async () => (await load()).updateTask,
    ['stoa project task update website ptk_… --status completed --output "It is online"'],
  );
  runs<StartTaskOptions>(
    onOne('start', 'ask its assignee in a linked channel; prints the first message of the thread')
      .option('--channel <channel>', 'the channel (default: the one for new tasks)')
      .option('--revision <n>', 'the revision you have read; another one is refused', count)
      .option('--confirm-text', 'treat the text of another person as your own request')
      .option('--key <key>', 'idempotency key: a repeated call with it asks only once'),
    run,
    async () => (await load()).startTask,
    [],
  );
  runs(onOne('delete', 'delete a task'), run, async () => (await load()).deleteTask, []);
}
