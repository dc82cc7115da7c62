import { ANYONE, OWNER, PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Operation of a daemon. */
export const OPERATIONS_ROUTES = tagged('operations', {
  healthz: {
    method: 'GET',
    path: '/healthz',
    summary: 'Check that the process is alive',
    access: ANYONE,
    carries: 'text',
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    summary: 'Check that the daemon accepts requests; 503 while it starts or stops',
    access: ANYONE,
    carries: 'text',
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Prometheus metrics',
    access: OWNER,
    carries: 'text',
  },
  openapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This description',
    access: ANYONE,
    carries: 'document',
  },
  status: {
    method: 'GET',
    path: '/v1/status',
    summary: 'Version, engine, durability and warnings',
    access: PEOPLE,
    answer: 'Status',
    client: 'status',
  },
  createBackup: {
    method: 'POST',
    path: '/v1/backups',
    summary: 'Write a consistent copy of the data on the machine of the daemon',
    access: OWNER,
    body: 'CreateBackupRequest',
    answer: 'Backup',
    status: 201,
    untimed: true,
    client: 'backup',
    shorthand: 'directory',
  },
  checkIntegrity: {
    method: 'POST',
    path: '/v1/checks',
    summary: 'Check the store and compare every projection with a replay of its log',
    access: OWNER,
    answer: 'IntegrityReport',
    untimed: true,
    retry: 'always',
    client: 'check',
  },
});
