import { type Statement, statement } from '../sql/statement.js';

type Row = Record<string, string | number | null>;
type Page = { topicId: number; offset: number; limit: number };

const dump = (table: string, order: string): Statement<Page, Row> =>
  statement<Page, Row>(
    `SELECT * FROM "${table}" WHERE "topicId" = :topicId ORDER BY ${order} LIMIT :limit OFFSET :offset`,
  );

/** Reads a table that is a replay of a topic's log, page by page in a fixed order, to be compared with one. */
export type TableDump = Statement<Page, Row>;

/** The tables of each module of the domain. */
export const TABLES = {
  channels: {
    channels: dump('channels', '"channelId"'),
    members: dump('members', '"joinedAt", "memberId"'),
    messages: dump('messages', '"seq"'),
    reactions: dump('reactions', '"seq"'),
    pins: dump('pins', '"seq"'),
    attachments: statement<Page, Row>(
      `SELECT a.* FROM "attachments" a JOIN "messages" m ON m."topicId" = a."topicId" AND m."messageId" = a."messageId"
     WHERE a."topicId" = :topicId ORDER BY m."seq", a."assetId" LIMIT :limit OFFSET :offset`,
    ),
  },
  turns: {
    turns: dump('turns', '"rootMessageId"'),
    leases: dump('leases', '"seq", "leaseId"'),
    decisions: dump('decisions', '"seq"'),
  },
  stimuli: { stimuli: dump('stimuli', '"seq"') },
  work: { threadWork: dump('threadWork', '"rootMessageId"') },
  observations: {
    observationSources: dump('observationSources', '"sourceId"'),
    observations: dump('observations', '"seq"'),
  },
  projects: {
    projects: dump('projects', '"projectId"'),
    projectMembers: dump('projectMembers', '"memberId"'),
    projectLinks: dump('projectLinks', '"channelId"'),
    projectTasks: dump('projectTasks', '"taskId"'),
    taskBlockers: dump('taskBlockers', '"taskId", "blockerId"'),
  },
  sessions: { sessions: dump('sessions', '"sessionId"') },
  runs: { runs: dump('runs', '"seq"'), modelCalls: dump('modelCalls', '"seq"') },
  inbox: { inboxItems: dump('inboxItems', '"seq"') },
  approvals: { approvals: dump('approvals', '"seq"') },
  schedules: { schedules: dump('schedules', '"seq"') },
  boards: {
    boards: dump('boards', '"boardId"'),
    boardRevisions: dump('boardRevisions', '"boardId", "revision"'),
  },
  tasks: { tasks: dump('tasks', '"taskId"') },
  memory: {
    memories: dump('memories', '"memoryId"'),
    memoryNotes: dump('memoryNotes', '"seq"'),
  },
} satisfies Record<string, Record<string, TableDump>>;
