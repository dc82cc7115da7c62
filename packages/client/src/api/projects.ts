import type {
  ChannelLink,
  CreateProject,
  CreateProjectTask,
  LinkChannel,
  ProjectDetails,
  ProjectMember,
  ProjectTask,
  StartProjectTask,
  UpdateProject,
  UpdateProjectTask,
  UpsertProjectMember,
} from '@stoa/protocol';
import type { Answer, Caller, CallOptions, KeyedCallOptions } from '../http/caller.js';
import { pagesOf } from './pages-of.js';
import type { QueryFor } from './query.js';

export type ProjectPage = Answer<'listProjects'>;
export type TaskPage = Answer<'listProjectTasks'>;

export interface ProjectsApi {
  create(project: CreateProject, options?: KeyedCallOptions): Promise<ProjectDetails>;
  list(query?: QueryFor<'listProjects'>, options?: CallOptions): Promise<ProjectPage>;
  /** Every project, page by page. */
  pages(query?: QueryFor<'listProjects'>, options?: CallOptions): AsyncIterable<ProjectPage>;
  get(projectId: string, options?: CallOptions): Promise<ProjectDetails>;
  update(projectId: string, change: UpdateProject, options?: CallOptions): Promise<ProjectDetails>;
  delete(projectId: string, options?: CallOptions): Promise<void>;
  upsertMember(
    projectId: string,
    member: UpsertProjectMember,
    options?: CallOptions,
  ): Promise<ProjectMember>;
  removeMember(projectId: string, memberId: string, options?: CallOptions): Promise<void>;
  link(
    projectId: string,
    channelId: string,
    link?: LinkChannel,
    options?: CallOptions,
  ): Promise<ChannelLink>;
  unlink(projectId: string, channelId: string, options?: CallOptions): Promise<void>;
  readonly tasks: ProjectTasksApi;
}

export interface ProjectTasksApi {
  create(
    projectId: string,
    task: CreateProjectTask,
    options?: KeyedCallOptions,
  ): Promise<ProjectTask>;
  list(
    projectId: string,
    query?: QueryFor<'listProjectTasks'>,
    options?: CallOptions,
  ): Promise<TaskPage>;
  /** Every task, page by page. */
  pages(
    projectId: string,
    query?: QueryFor<'listProjectTasks'>,
    options?: CallOptions,
  ): AsyncIterable<TaskPage>;
  get(projectId: string, taskId: string, options?: CallOptions): Promise<ProjectTask>;
  update(
    projectId: string,
    taskId: string,
    change: UpdateProjectTask,
    options?: CallOptions,
  ): Promise<ProjectTask>;
  delete(projectId: string, taskId: string, options?: CallOptions): Promise<void>;
  /** Asks the assignee in a linked channel, as whoever calls. */
  start(
    projectId: string,
    taskId: string,
    where?: StartProjectTask,
    options?: KeyedCallOptions,
  ): Promise<ProjectTask>;
}

export function projectsApi(call: Caller): ProjectsApi {
  const list: ProjectsApi['list'] = (query, options) => call('listProjects', { query, ...options });
  return {
    create: (body, options) => call('createProject', { body, ...options }),
    list,
    pages: (query, options) => pagesOf(query?.after, (after) => list({ ...query, after }, options)),
    get: (projectId, options) => call('getProject', { params: { projectId }, ...options }),
    update: (projectId, body, options) =>
      call('updateProject', { params: { projectId }, body, ...options }),
    delete: (projectId, options) => call('deleteProject', { params: { projectId }, ...options }),
    upsertMember: (projectId, body, options) =>
      call('upsertProjectMember', { params: { projectId }, body, ...options }),
    removeMember: (projectId, memberId, options) =>
      call('removeProjectMember', { params: { projectId, memberId }, ...options }),
    link: (projectId, channelId, body = {}, options) =>
      call('linkChannel', { params: { projectId, channelId }, body, ...options }),
    unlink: (projectId, channelId, options) =>
      call('unlinkChannel', { params: { projectId, channelId }, ...options }),
    tasks: tasksApi(call),
  };
}

function tasksApi(call: Caller): ProjectTasksApi {
  const list: ProjectTasksApi['list'] = (projectId, query, options) =>
    call('listProjectTasks', { params: { projectId }, query, ...options });
  return {
    create: (projectId, body, options) =>
      call('createProjectTask', { params: { projectId }, body, ...options }),
    list,
    pages: (projectId, query, options) =>
      pagesOf(query?.after, (after) => list(projectId, { ...query, after }, options)),
    get: (projectId, taskId, options) =>
      call('getProjectTask', { params: { projectId, taskId }, ...options }),
    update: (projectId, taskId, body, options) =>
      call('updateProjectTask', { params: { projectId, taskId }, body, ...options }),
    delete: (projectId, taskId, options) =>
      call('deleteProjectTask', { params: { projectId, taskId }, ...options }),
    start: (projectId, taskId, body = {}, options) =>
      call('startProjectTask', { params: { projectId, taskId }, body, ...options }),
  };
}
