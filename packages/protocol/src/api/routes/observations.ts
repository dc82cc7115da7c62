import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { ChannelId, ObservationSourceId } from '../../records/ids.js';
import {
  CreateObservationSource,
  Observation,
  ObservationSource,
  ObservationSourceWithSecret,
  UpdateObservationSource,
} from '../../records/observation.js';
import { ANYONE, PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const one = z.strictObject({ sourceId: ObservationSourceId });

/** What is seen outside and told to a channel. */
export const OBSERVATIONS_ROUTES = {
  listObservationSources: {
    method: 'GET',
    path: '/v1/observation-sources',
    tag: 'observations',
    summary: 'The sources of a channel, oldest first',
    access: PEOPLE,
    query: z.strictObject({ channelId: ChannelId }),
    answer: z.strictObject({ sources: z.array(ObservationSource) }),
    status: 200,
  },
  createObservationSource: {
    method: 'POST',
    path: '/v1/observation-sources',
    tag: 'observations',
    summary: 'Let something outside tell a channel what it sees; the secret is shown this once',
    access: PEOPLE,
    body: CreateObservationSource,
    answer: ObservationSourceWithSecret,
    status: 201,
  },
  getObservationSource: {
    method: 'GET',
    path: '/v1/observation-sources/:sourceId',
    tag: 'observations',
    summary: 'One source, without its secret',
    access: PEOPLE,
    params: one,
    answer: ObservationSource,
    status: 200,
  },
  updateObservationSource: {
    method: 'PATCH',
    path: '/v1/observation-sources/:sourceId',
    tag: 'observations',
    summary: 'Change a source, or turn it off and on',
    access: PEOPLE,
    params: one,
    body: UpdateObservationSource,
    answer: ObservationSource,
    status: 200,
  },
  deleteObservationSource: {
    method: 'DELETE',
    path: '/v1/observation-sources/:sourceId',
    tag: 'observations',
    summary: 'Delete a source; what it told stays in the channel',
    access: PEOPLE,
    params: one,
    status: 204,
  },
  rotateObservationSecret: {
    method: 'POST',
    path: '/v1/observation-sources/:sourceId/rotate',
    tag: 'observations',
    summary: 'Give a source a new secret, shown this once; the one before ends at once',
    access: PEOPLE,
    params: one,
    answer: ObservationSourceWithSecret,
    status: 200,
  },
  listObservations: {
    method: 'GET',
    path: '/v1/observation-sources/:sourceId/observations',
    tag: 'observations',
    summary: 'What came from a source lately, newest first',
    access: PEOPLE,
    params: one,
    query: z.strictObject({ limit: z.int().min(1).max(LIMITS.observationsPerSource).default(50) }),
    answer: z.strictObject({ observations: z.array(Observation) }),
    status: 200,
  },
  observe: {
    method: 'POST',
    path: '/v1/observations/:sourceId',
    tag: 'observations',
    summary: 'Tell what was seen: any body, signed with the secret of the source',
    access: ANYONE,
    params: one,
    headers: z.strictObject({
      /** `t=<seconds since 1970>,v1=<HMAC-SHA256 of t, a point and the body, in hex>` */
      'Stoa-Signature': z.string(),
      /** Of the sender's choice; the same one is taken once. */
      'Stoa-Delivery': z.string().max(200),
    }),
    body: 'bytes',
    bodyLimit: LIMITS.observationBytes,
    answer: Observation,
    status: 201,
  },
} as const satisfies Record<string, Route>;
