import { type Verb, verb } from '../sql/verb.js';

type Row = Record<string, string | number | null>;
type Page = { topicId: number; offset: number; limit: number };

const dump = (table: string, order: string): Verb<Page, Row> =>
  verb<Page, Row>(
    `SELECT * FROM "${table}" WHERE "topicId" = :topicId ORDER BY ${order} LIMIT :limit OFFSET :offset`,
  );

/** The tables that are a replay of a channel's log, read in a fixed order to be compared with one. */
export const CHANNEL_PROJECTIONS: Readonly<Record<string, Verb<Page, Row>>> = {
  channels: dump('channels', '"channelId"'),
  members: dump('members', '"joinedAt", "memberId"'),
  messages: dump('messages', '"seq"'),
  reactions: dump('reactions', '"seq"'),
  pins: dump('pins', '"seq"'),
  turns: dump('turns', '"rootMessageId"'),
  leases: dump('leases', '"seq", "leaseId"'),
  decisions: dump('decisions', '"seq"'),
  stimuli: dump('stimuli', '"seq"'),
  threadWork: dump('threadWork', '"rootMessageId"'),
  observationSources: dump('observationSources', '"sourceId"'),
  observations: dump('observations', '"seq"'),
  attachments: verb<Page, Row>(
    `SELECT a.* FROM "attachments" a JOIN "messages" m ON m."topicId" = a."topicId" AND m."messageId" = a."messageId"
     WHERE a."topicId" = :topicId ORDER BY m."seq", a."assetId" LIMIT :limit OFFSET :offset`,
  ),
};

/** The same for the topic of a project. */
export const PROJECT_PROJECTIONS: Readonly<Record<string, Verb<Page, Row>>> = {
  projects: dump('projects', '"projectId"'),
  projectMembers: dump('projectMembers', '"memberId"'),
  projectLinks: dump('projectLinks', '"channelId"'),
  projectTasks: dump('projectTasks', '"taskId"'),
  taskBlockers: dump('taskBlockers', '"taskId", "blockerId"'),
};

/** The same for the topic of a session. */
export const SESSION_PROJECTIONS: Readonly<Record<string, Verb<Page, Row>>> = {
  sessions: dump('sessions', '"sessionId"'),
  runs: dump('runs', '"seq"'),
  inboxItems: dump('inboxItems', '"seq"'),
  approvals: dump('approvals', '"seq"'),
  modelCalls: dump('modelCalls', '"seq"'),
  schedules: dump('schedules', '"seq"'),
  boards: dump('boards', '"boardId"'),
  boardRevisions: dump('boardRevisions', '"boardId", "revision"'),
  tasks: dump('tasks', '"taskId"'),
};

/** The same for the topic of a memory. */
export const MEMORY_PROJECTIONS: Readonly<Record<string, Verb<Page, Row>>> = {
  memories: dump('memories', '"memoryId"'),
  memoryNotes: dump('memoryNotes', '"seq"'),
};
