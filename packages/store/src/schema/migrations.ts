import { foundation } from './0001-foundation.js';
import { runtime } from './0002-runtime.js';
import { turns } from './0003-turns.js';
import { conversations } from './0004-conversations.js';
import { tasks } from './0005-tasks.js';
import { trust } from './0006-trust.js';
import { plainNames } from './0007-plain-names.js';
import type { Migration } from './migration.js';

export const MIGRATIONS: readonly Migration[] = [
  foundation,
  runtime,
  turns,
  conversations,
  tasks,
  trust,
  plainNames,
];

export const SCHEMA_VERSION = MIGRATIONS.length;
