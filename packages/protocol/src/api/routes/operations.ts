import { z } from 'zod';
import { Backup, IntegrityReport, Status } from '../../records/status.js';
import { ANYONE, OWNER, PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

/** Running and looking after a daemon. */
export const OPERATIONS_ROUTES = {
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'operations',
    summary: 'The process is alive',
    access: ANYONE,
    status: 200,
    carries: 'text',
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'operations',
    summary: 'The daemon takes requests; 503 while it starts or stops',
    access: ANYONE,
    status: 200,
    carries: 'text',
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'operations',
    summary: 'Prometheus metrics',
    access: OWNER,
    status: 200,
    carries: 'text',
  },
  openapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    tag: 'operations',
    summary: 'This description',
    access: ANYONE,
    status: 200,
  },
  status: {
    method: 'GET',
    path: '/v1/status',
    tag: 'operations',
    summary: 'Version, engine, durability and warnings',
    access: PEOPLE,
    answer: Status,
    status: 200,
  },
  createBackup: {
    method: 'POST',
    path: '/v1/backups',
    tag: 'operations',
    summary: 'Write a consistent copy of the data on the machine of the daemon',
    access: OWNER,
    body: z.strictObject({ directory: z.string().min(1).max(4096).optional() }),
    answer: Backup,
    status: 201,
  },
  checkIntegrity: {
    method: 'POST',
    path: '/v1/checks',
    tag: 'operations',
    summary: 'Check the store and compare every projection with a replay of its log',
    access: OWNER,
    answer: IntegrityReport,
    status: 200,
  },
} as const satisfies Record<string, Route>;
