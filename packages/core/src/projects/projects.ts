import type {
  CreateProject,
  CreateProjectTask,
  LinkChannel,
  Principal,
  StartProjectTask,
  UpdateProject,
  UpdateProjectTask,
  UpsertProjectMember,
} from '@stoa/protocol';
import { deleteProject, updateProject } from './change-project.js';
import type { ProjectContext } from './context.js';
import { createProject } from './create-project.js';
import { linkChannel, unlinkChannel } from './links.js';
import { removeMember, upsertMember } from './members.js';
import {
  getProject,
  getTask,
  listProjects,
  listTasks,
  type ProjectQuery,
  type TaskQuery,
} from './read-projects.js';
import { startTask } from './start-task.js';
import { createTask, deleteTask, updateTask } from './tasks.js';

/** What a caller can do with projects. `by` is the principal that the credential proved. */
export class Projects {
  constructor(private readonly context: ProjectContext) {}

  create(by: Principal, request: CreateProject, key?: string) {
    return createProject(this.context, by, request, key);
  }
  get(by: Principal, projectId: string) {
    return getProject(this.context, by, projectId);
  }
  list(by: Principal, query: ProjectQuery) {
    return listProjects(this.context, by, query);
  }
  update(by: Principal, projectId: string, request: UpdateProject) {
    return updateProject(this.context, by, projectId, request);
  }
  delete(by: Principal, projectId: string) {
    return deleteProject(this.context, by, projectId);
  }

  upsertMember(by: Principal, projectId: string, request: UpsertProjectMember) {
    return upsertMember(this.context, by, projectId, request);
  }
  removeMember(by: Principal, projectId: string, memberId: string) {
    return removeMember(this.context, by, projectId, memberId);
  }

  link(by: Principal, projectId: string, channelId: string, request: LinkChannel) {
    return linkChannel(this.context, by, projectId, channelId, request);
  }
  unlink(by: Principal, projectId: string, channelId: string) {
    return unlinkChannel(this.context, by, projectId, channelId);
  }

  tasks(by: Principal, projectId: string, query: TaskQuery) {
    return listTasks(this.context, by, projectId, query);
  }
  task(by: Principal, projectId: string, taskId: string) {
    return getTask(this.context, by, projectId, taskId);
  }
  createTask(by: Principal, projectId: string, request: CreateProjectTask, key?: string) {
    return createTask(this.context, by, projectId, request, key);
  }
  updateTask(by: Principal, projectId: string, taskId: string, request: UpdateProjectTask) {
    return updateTask(this.context, by, projectId, taskId, request);
  }
  deleteTask(by: Principal, projectId: string, taskId: string) {
    return deleteTask(this.context, by, projectId, taskId);
  }
  startTask(
    by: Principal,
    projectId: string,
    taskId: string,
    request: StartProjectTask,
    key?: string,
  ) {
    return startTask(this.context, by, projectId, taskId, request, key);
  }
}
