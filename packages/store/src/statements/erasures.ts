import { locking, statement } from '../sql/statement.js';

export const insertErasure = statement<{ topicId: number }>(
  `INSERT INTO "erasures" ("topicId") VALUES (:topicId) ON CONFLICT DO NOTHING`,
);
export const listErasures = statement<object, { topicId: number }>(
  `SELECT "topicId" FROM "erasures" ORDER BY "topicId"`,
);

const LOCK = `SELECT 1 FROM "erasures" WHERE "topicId" = :topicId FOR UPDATE`;

/** Daemons that erase the same channel take turns, so that each counts only the rows that it deleted. */
export const lockErasure = statement<{ topicId: number }, { topicId: number }>(
  locking(`SELECT "topicId" FROM "erasures" WHERE "topicId" = :topicId`, 'FOR UPDATE'),
);

const KEYS = {
  messages: '"seq"',
  reactions: '"messageId", "emoji", "actorId"',
  members: '"memberId"',
  readCursors: '"humanId"',
  pins: '"assetId"',
  attachments: '"assetId", "messageId"',
  turns: '"rootMessageId"',
  leases: '"seq", "leaseId"',
  decisions: '"rootMessageId", "seq"',
  stimuli: '"seq"',
  stimulusKeys: '"key", "stimulusId"',
  threadWork: '"rootMessageId"',
  observationSources: '"sourceId"',
  observationSecrets: '"sourceId"',
  observations: '"seq"',
} as const;

type Chunk = { topicId: number; limit: number };
const chunk = (table: keyof typeof KEYS, wanted: string): string =>
  `SELECT ${wanted} FROM "${table}" WHERE "topicId" = :topicId ORDER BY ${KEYS[table]} LIMIT :limit`;
const erase = (table: keyof typeof KEYS): string =>
  `DELETE FROM "${table}" WHERE "topicId" = :topicId
   AND (${KEYS[table]}) IN (${chunk(table, KEYS[table])})`;

/** The rows of an erased channel, deleted in chunks of bounded size. */
export const ERASE_CHUNKS = [
  statement<Chunk>(erase('messages')),
  statement<Chunk>(erase('reactions')),
  statement<Chunk>(erase('members')),
  statement<Chunk>(erase('readCursors')),
  statement<Chunk>(erase('turns')),
  statement<Chunk>(erase('leases')),
  statement<Chunk>(erase('decisions')),
  statement<Chunk>(erase('stimuli')),
  statement<Chunk>(erase('stimulusKeys')),
  statement<Chunk>(erase('threadWork')),
  statement<Chunk>(erase('observationSources')),
  statement<Chunk>(erase('observationSecrets')),
  statement<Chunk>(erase('observations')),
] as const;

/** Rows that refer to assets; the transaction that deletes a chunk also releases its assets. */
export const ERASE_HOLDERS = [
  {
    assets: statement<Chunk, { assetId: string }>(chunk('pins', '"assetId"')),
    erase: statement<Chunk>(erase('pins')),
  },
  {
    assets: statement<Chunk, { assetId: string }>(chunk('attachments', '"assetId"')),
    erase: statement<Chunk>(erase('attachments')),
  },
] as const;

const LEFT = [
  ...Object.keys(KEYS).map((table) => `SELECT 1 FROM "${table}" WHERE "topicId" = :topicId`),
  `SELECT 1 FROM "events" e JOIN "topics" t ON t."id" = e."topicId"
   WHERE e."topicId" = :topicId AND e."seq" <= t."floor"`,
];
const DELETE = `DELETE FROM "erasures" WHERE "topicId" = :topicId
  ${LEFT.map((rows) => `AND NOT EXISTS (${rows})`).join('\n  ')}`;

/** Changes nothing while rows are left to erase. */
export const deleteErasure = statement<{ topicId: number }>({
  sqlite: DELETE,
  postgres: DELETE,
  lock: LOCK,
});
