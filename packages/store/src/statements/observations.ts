import type { EventData } from '@stoa/protocol';
import { dump } from '../sql/dump.js';
import { type Json, statement } from '../sql/statement.js';

export interface ObservationSourceRow {
  topicId: number;
  sourceId: string;
  /** The event that changed it last; it holds the settings. */
  seq: number;
  createdBy: string;
  createdAt: number;
}

export interface FullSourceRow extends ObservationSourceRow {
  channelId: string;
  settings: Json<EventData<'observation_source_changed'>>;
  updatedAt: number;
}

export interface ObservationRow {
  topicId: number;
  /** The event that holds it. */
  seq: number;
  sourceId: string;
  proof: string;
  receivedAt: number;
}

export interface FullObservationRow extends ObservationRow {
  received: Json<EventData<'observation_received'>>;
}

/** Without sources of deleted channels. */
const SOURCES = `SELECT s.*, c."channelId", e."body" AS "settings", e."at" AS "updatedAt"
  FROM "observationSources" s JOIN "channels" c ON c."topicId" = s."topicId"
  JOIN "events" e ON e."topicId" = s."topicId" AND e."seq" = s."seq"`;

export const findObservationSource = statement<{ sourceId: string }, FullSourceRow>(
  `${SOURCES} WHERE s."sourceId" = :sourceId`,
);

/** Oldest first; ids sort by time. */
export const listObservationSources = statement<{ topicId: number }, FullSourceRow>(
  `${SOURCES} WHERE s."topicId" = :topicId ORDER BY s."sourceId"`,
);

export const putObservationSource = statement<ObservationSourceRow>(
  `INSERT INTO "observationSources" ("topicId", "sourceId", "seq", "createdBy", "createdAt")
   VALUES (:topicId, :sourceId, :seq, :createdBy, :createdAt)
   ON CONFLICT ("topicId", "sourceId") DO UPDATE SET "seq" = excluded."seq"`,
);

export const deleteObservationSource = statement<{ topicId: number; sourceId: string }>(
  `DELETE FROM "observationSources" WHERE "topicId" = :topicId AND "sourceId" = :sourceId`,
);

export const findObservationSecret = statement<{ sourceId: string }, { secret: string }>(
  `SELECT "secret" FROM "observationSecrets" WHERE "sourceId" = :sourceId`,
);

export const putObservationSecret = statement<{
  topicId: number;
  sourceId: string;
  secret: string;
}>(
  `INSERT INTO "observationSecrets" ("topicId", "sourceId", "secret") VALUES (:topicId, :sourceId, :secret)
   ON CONFLICT ("topicId", "sourceId") DO UPDATE SET "secret" = excluded."secret"`,
);

export const deleteObservationSecret = statement<{ sourceId: string }>(
  `DELETE FROM "observationSecrets" WHERE "sourceId" = :sourceId`,
);

const OBSERVATIONS = `SELECT o.*, e."body" AS "received" FROM "observations" o
  JOIN "events" e ON e."topicId" = o."topicId" AND e."seq" = o."seq"`;

export const findObservationByProof = statement<
  { sourceId: string; proof: string },
  FullObservationRow
>(`${OBSERVATIONS} WHERE o."sourceId" = :sourceId AND o."proof" = :proof`);

/** Newest first. */
export const listObservations = statement<{ sourceId: string; limit: number }, FullObservationRow>(
  `${OBSERVATIONS} WHERE o."sourceId" = :sourceId ORDER BY o."seq" DESC LIMIT :limit`,
);

/** Counts stored observations only; few are kept. */
export const countObservationsSince = statement<
  { sourceId: string; since: number },
  { count: number }
>(
  `SELECT count(*) AS "count" FROM "observations"
   WHERE "sourceId" = :sourceId AND "receivedAt" > :since`,
);

export const insertObservation = statement<ObservationRow>(
  `INSERT INTO "observations" ("topicId", "seq", "sourceId", "proof", "receivedAt")
   VALUES (:topicId, :seq, :sourceId, :proof, :receivedAt)`,
);

/** Keeps the newest of a source. */
export const forgetObservations = statement<{ sourceId: string; keep: number }>(
  `DELETE FROM "observations" WHERE "sourceId" = :sourceId AND "seq" <= (
     SELECT k."seq" FROM "observations" k WHERE k."sourceId" = :sourceId
     ORDER BY k."seq" DESC LIMIT 1 OFFSET :keep)`,
);

export const deleteObservations = statement<{ topicId: number; sourceId: string }>(
  `DELETE FROM "observations" WHERE "topicId" = :topicId AND "sourceId" = :sourceId`,
);

/** The tables that the events of observations fill. */
export const OBSERVATION_TABLES = {
  observationSources: dump('observationSources', '"sourceId"'),
  observations: dump('observations', '"seq"'),
};
