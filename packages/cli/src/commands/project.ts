import type { Project, ProjectDetails, ProjectStatus } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface ListProjectsOptions extends GlobalFlags {
  readonly status?: ProjectStatus;
  readonly session?: string;
  readonly channel?: string;
  readonly quiet?: boolean;
}

export interface CreateProjectOptions extends GlobalFlags {
  readonly id?: string;
  readonly description?: string;
}

export interface UpdateProjectOptions extends GlobalFlags {
  readonly name?: string;
  readonly description?: string;
  readonly status?: ProjectStatus;
}

export interface DeleteProjectOptions extends GlobalFlags {
  readonly yes?: boolean;
}

export interface ProjectMemberOptions extends GlobalFlags {
  readonly name?: string;
  readonly role?: string;
  readonly remove?: boolean;
}

export interface LinkOptions extends GlobalFlags {
  readonly role?: string;
  readonly default?: boolean;
  readonly mirror?: boolean;
}

export async function listProjects(
  context: Context,
  words: readonly string[],
  { status, session, channel, quiet }: ListProjectsOptions,
): Promise<void> {
  const projects: Project[] = [];
  const query = words.length === 0 ? undefined : words.join(' ');
  const asked = { query, status, memberSessionId: session, channelId: channel, limit: 200 };
  for await (const page of context.client.projects.list.pages(asked))
    projects.push(...page.projects);
  if (context.flags.json) context.json({ projects });
  else if (quiet) for (const { projectId } of projects) context.line(projectId);
  else if (projects.length === 0) context.say('no projects; create one: stoa project create NAME');
  else context.line(projectTable(context, projects));
}

function projectTable(context: Context, projects: readonly Project[]): string {
  return context.table(
    [
      { title: 'PROJECT' },
      { title: 'STATUS' },
      { title: 'MEMBERS', align: 'right' },
      { title: 'TASKS', align: 'right' },
      { title: 'NAME' },
    ],
    projects.map(({ projectId, status, memberCount, taskCount, displayName }) => [
      projectId,
      status,
      String(memberCount),
      String(taskCount),
      printableLine(displayName),
    ]),
  );
}

export async function createProject(
  context: Context,
  words: readonly string[],
  { id, description }: CreateProjectOptions,
): Promise<void> {
  const project = await context.client.projects.create({
    projectId: id,
    displayName: words.join(' '),
    description,
  });
  context.answer(project, () => project.projectId);
}

export async function showProject(
  context: Context,
  [projectId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.projects.get(projectId));
}

export async function updateProject(
  context: Context,
  [projectId = '']: readonly string[],
  { name, description, status }: UpdateProjectOptions,
): Promise<void> {
  if (name === undefined && description === undefined && status === undefined) {
    throw new UsageError('there is nothing to change', 'give --name, --description or --status');
  }
  const change = {
    displayName: name,
    description: description === '' ? null : description,
    status,
  };
  show(context, await context.client.projects.update(projectId, change));
}

export async function deleteProject(
  context: Context,
  [projectId = '']: readonly string[],
  options: DeleteProjectOptions,
): Promise<void> {
  if (!options.yes) {
    throw new UsageError(
      `this would permanently delete ${projectId} and its tasks`,
      'to confirm, add --yes; to keep it: stoa project update --status archived',
    );
  }
  await context.client.projects.delete(projectId);
  context.answer({ deleted: projectId }, () => `${projectId} is deleted.`);
}

export async function changeMember(
  context: Context,
  [projectId = '', who = '']: readonly string[],
  { name, role, remove }: ProjectMemberOptions,
): Promise<void> {
  const { projects } = context.client;
  if (remove) {
    await projects.removeMember(projectId, who);
    context.answer({ left: who, projectId }, () => `${who} has left ${projectId}.`);
    return;
  }
  const actorId = who.startsWith('ses_') ? `session:${who}` : `human:${who}`;
  const member = await projects.upsertMember(projectId, { actorId, displayName: name, role });
  context.answer(
    member,
    () => `${printableLine(member.displayName)} (${member.memberId}) is a member of ${projectId}.`,
  );
}

export async function linkChannel(
  context: Context,
  [projectId = '', channelId = '']: readonly string[],
  options: LinkOptions,
): Promise<void> {
  const link = await context.client.projects.link(projectId, channelId, {
    role: options.role,
    defaultForNewTasks: options.default,
    mirrorMembers: options.mirror,
  });
  context.answer(link, () => `${projectId} links ${linkText(link)}.`);
}

export async function unlinkChannel(
  context: Context,
  [projectId = '', channelId = '']: readonly string[],
): Promise<void> {
  await context.client.projects.unlink(projectId, channelId);
  context.answer(
    { unlinked: channelId, projectId },
    () => `${projectId} no longer links ${channelId}.`,
  );
}

function linkText({
  channelId,
  role,
  defaultForNewTasks,
  mirrorMembers,
}: ProjectDetails['channelLinks'][number]): string {
  const what = [
    ...(role === undefined ? [] : [printableLine(role)]),
    ...(defaultForNewTasks ? ['for new tasks'] : []),
    ...(mirrorMembers ? ['with its members'] : []),
  ];
  return what.length === 0 ? channelId : `${channelId} (${what.join(', ')})`;
}

function show(context: Context, project: ProjectDetails): void {
  context.answer(project, () => projectText(context, project));
}

function projectText({ paint, io }: Context, project: ProjectDetails): string {
  const members = project.members.map(
    ({ memberId, displayName, role, sessionEndedAt }) =>
      `${memberId} ${displayName}${role === undefined ? '' : `, ${role}`}${sessionEndedAt === undefined ? '' : ' (its session has ended)'}`,
  );
  return details(paint, { title: project.displayName, id: project.projectId }, [
    ['description', project.description],
    ['status', project.status],
    ['created', `${relativeTime(project.createdAt, io.now())} by ${project.createdBy}`],
    ['members', members.map(printableLine).join('\n')],
    ['channels', project.channelLinks.map(linkText).join('\n')],
    ['tasks', project.taskCount],
  ]);
}
