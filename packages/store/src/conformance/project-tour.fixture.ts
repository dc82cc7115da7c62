import * as api from '../index.js';
import type { Tx } from '../sql/statement.js';

const p1 = { topicId: 71 };
const project = (topicId: number, projectId: string) => ({
  topicId,
  projectId,
  displayName: `Plan ${projectId}`,
  description: null,
  status: 'active',
  createdBy: 'human:ada',
  createdAt: 50,
  updatedAt: 50,
  metadata: '{}',
});
const member = (topicId: number, memberId: string, actorId: string) => ({
  topicId,
  memberId,
  memberKind: 'session',
  actorId,
  displayName: 'Zoë',
  role: null,
  joinedAt: 51,
  sessionEndedAt: null,
});
const link = (topicId: number, channelId: string, mirrors: number) => ({
  topicId,
  channelId,
  role: 'talk',
  isDefault: 1,
  mirrors,
  linkedAt: 52,
});
const task = (taskId: string, parentTaskId: string | null) => ({
  ...p1,
  taskId,
  title: 'Do it',
  description: null,
  assigneeId: 'ann',
  parentTaskId,
  status: 'open',
  channelId: null,
  rootMessageId: null,
  runId: null,
  output: null,
  createdBy: 'human:ada',
  createdAt: 53,
  updatedAt: 53,
  revision: 1,
  writtenBy: 'human:x',
});
const all = { after: '', pattern: '', status: '', actorId: '', channelId: '', limit: 9 };
const tasks = { ...p1, after: '', status: '', assigneeId: '', limit: 9 };
const open = { projectId: 'a_1', actorId: 'session:ses_1' };
const edge = { ...p1, taskId: 'tsk_b', blockerId: 'ptk_A' };

const board = { ...p1, boardId: 'brd_1' };
const drawn = { ...board, assetId: 'asset_9', mediaType: 'image/png', createdBy: 'system' };

/** Two projects with the same member and a channel, and a board, statement by statement. */
export const projectTour: readonly (readonly [string, () => Tx<unknown>])[] = [
  ['putBoard', () => api.putBoard.changes({ ...board, title: 'B', createdAt: 60, updatedAt: 60 })],
  [
    'putBoard, again',
    () => api.putBoard.changes({ ...board, title: 'C', createdAt: 61, updatedAt: 61 }),
  ],
  ['findBoard', () => api.findBoard.first(board)],
  ['listBoards', () => api.listBoards.all(p1)],
  ...[1, 2].map(
    (revision) =>
      [
        `insertBoardRevision ${String(revision)}`,
        () => api.insertBoardRevision.changes({ ...drawn, revision, createdAt: 60 + revision }),
      ] as const,
  ),
  [
    'deleteBoardRevisionsUpTo',
    () => api.deleteBoardRevisionsUpTo.changes({ ...board, revision: 1 }),
  ],
  ['listBoardRevisions', () => api.listBoardRevisions.all(board)],
  ['deleteBoard', () => api.deleteBoard.changes(board)],
  ['insertProject', () => api.insertProject.changes(project(71, 'a_1'))],
  ['insertProject, another', () => api.insertProject.changes(project(72, 'a-1'))],
  ['countProjects', () => api.countProjects.first({})],
  ['upsertProjectMember', () => api.upsertProjectMember.changes(member(71, 'ann', open.actorId))],
  [
    'upsertProjectMember, again',
    () => api.upsertProjectMember.changes(member(71, 'ann', open.actorId)),
  ],
  [
    'upsertProjectMember, there',
    () => api.upsertProjectMember.changes(member(72, 'x', open.actorId)),
  ],
  [
    'setProjectSessionEnded',
    () => api.setProjectSessionEnded.changes({ ...p1, memberId: 'ann', at: 54 }),
  ],
  ['openProject', () => api.openProject.first(open)],
  ['lockProject', () => api.lockProject.first({ ...open, actorId: 'human:ada' })],
  ['findProjectFields', () => api.findProjectFields.first(p1)],
  [
    'updateProject',
    () =>
      api.updateProject.changes({
        ...p1,
        displayName: 'Élan 100%',
        description: 'd',
        status: 'paused',
        metadata: '{"a":1}',
        at: 55,
      }),
  ],
  ['upsertProjectLink', () => api.upsertProjectLink.changes(link(71, 'b-1', 0))],
  ['clearDefaultLink', () => api.clearDefaultLink.changes(p1)],
  ['upsertProjectLink, other', () => api.upsertProjectLink.changes(link(72, 'b-1', 1))],
  ['listProjectLinks', () => api.listProjectLinks.all(p1)],
  ['listLinksOfChannel', () => api.listLinksOfChannel.all({ channelId: 'b-1' })],
  ...[71, 72].map(
    (exceptTopicId) =>
      [
        `findMirroredElsewhere but in ${String(exceptTopicId)}`,
        () =>
          api.findMirroredElsewhere.first({
            channelId: 'b-1',
            actorId: open.actorId,
            exceptTopicId,
          }),
      ] as const,
  ),
  ['findProject', () => api.findProject.first({ projectId: 'a_1' })],
  ['listProjects', () => api.listProjects.all(all)],
  ['listProjects, after', () => api.listProjects.all({ ...all, after: 'a-1' })],
  ['listProjects, by words', () => api.listProjects.all({ ...all, pattern: '%100\\%%' })],
  ['listProjects, by status', () => api.listProjects.all({ ...all, status: 'active' })],
  ['listProjects, by member', () => api.listProjects.all({ ...all, actorId: open.actorId })],
  ['listProjects, by channel', () => api.listProjects.all({ ...all, channelId: 'b-2' })],
  ['listProjectMembers', () => api.listProjectMembers.all(p1)],
  ['findProjectMember', () => api.findProjectMember.first({ ...p1, memberId: 'ann' })],
  [
    'findProjectMemberByActor',
    () => api.findProjectMemberByActor.first({ ...p1, actorId: open.actorId }),
  ],
  ['listProjectsOfActor', () => api.listProjectsOfActor.all({ actorId: open.actorId })],
  ['putTask', () => api.putTask.changes(task('ptk_A', null))],
  ['putTask, a part', () => api.putTask.changes(task('tsk_b', 'ptk_A'))],
  ['putTask, again', () => api.putTask.changes({ ...task('ptk_A', null), status: 'completed' })],
  ['findTask', () => api.findTask.first({ ...p1, taskId: 'ptk_A' })],
  ['countTasks', () => api.countTasks.first(p1)],
  ['listTasks', () => api.listTasks.all(tasks)],
  ['listTasks, after', () => api.listTasks.all({ ...tasks, after: 'ptk_A' })],
  ['listTasks, open', () => api.listTasks.all({ ...tasks, status: 'open', assigneeId: 'ann' })],
  ['insertBlocker', () => api.insertBlocker.changes(edge)],
  ['insertBlocker, again', () => api.insertBlocker.changes(edge)],
  ['listBlockers', () => api.listBlockers.all(p1)],
  ['listBlockersOfTask', () => api.listBlockersOfTask.all({ ...p1, taskId: 'tsk_b' })],
  ['listTaskParents', () => api.listTaskParents.all(p1)],
  ...Object.entries(api.PROJECT_TABLES).map(
    ([table, dump]) =>
      [`dump of ${table}`, () => dump.all({ ...p1, limit: 9, offset: 0 })] as const,
  ),
  ['clearAssignee', () => api.clearAssignee.changes({ ...p1, assigneeId: 'ann' })],
  ['clearParentTask', () => api.clearParentTask.changes({ ...p1, parentTaskId: 'ptk_A' })],
  ['deleteBlockers', () => api.deleteBlockers.changes({ ...p1, taskId: 'tsk_b' })],
  ['deleteBlocker', () => api.deleteBlocker.changes({ ...p1, blockerId: 'ptk_A' })],
  ['deleteTask', () => api.deleteTask.changes({ ...p1, taskId: 'ptk_A' })],
  ['deleteProjectLink', () => api.deleteProjectLink.changes({ ...p1, channelId: 'b-1' })],
  ['deleteProjectMember', () => api.deleteProjectMember.changes({ ...p1, memberId: 'ann' })],
  ...api.DELETE_PROJECT.map(
    (table, i) => [`delete a project ${String(i)}`, () => table.run(p1)] as const,
  ),
];
