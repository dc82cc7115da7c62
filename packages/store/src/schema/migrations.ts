import { foundation } from './0001-foundation.js';
import { runtime } from './0002-runtime.js';
import { turns } from './0003-turns.js';
import { conversations } from './0004-conversations.js';
import { tasks } from './0005-tasks.js';
import { trust } from './0006-trust.js';
import type { Migration } from './migration.js';

export const MIGRATIONS: readonly Migration[] = [
  foundation,
  runtime,
  turns,
  conversations,
  tasks,
  trust,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Tables in the order a copy is written; kept beside the migrations that make them. */
export const TABLES = [
  'topics',
  'events',
  'channels',
  'members',
  'messages',
  'reactions',
  'pins',
  'attachments',
  'assets',
  'humans',
  'credentials',
  'loginCodes',
  'readCursors',
  'idempotencyKeys',
  'erasures',
  'agents',
  'nicknames',
  'workspaceRules',
  'sessions',
  'runs',
  'inboxItems',
  'approvals',
  'modelCalls',
  'schedules',
  'daemons',
  'sessionOwners',
  'turns',
  'leases',
  'decisions',
  'stimuli',
  'stimulusKeys',
  'threadWork',
  'memories',
  'memoryNotes',
  'projects',
  'projectMembers',
  'projectLinks',
  'projectTasks',
  'taskBlockers',
  'boards',
  'boardRevisions',
  'tasks',
  'dreamGates',
  'memoryVisits',
] as const;
