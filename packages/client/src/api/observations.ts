import type {
  CreateObservationSource,
  Observation,
  ObservationSource,
  ObservationSourceWithSecret,
  UpdateObservationSource,
} from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';
import type { Defaulted } from './defaulted.js';
import type { QueryFor } from './query.js';

export interface SendObservationOptions extends CallOptions {
  /** `t=<seconds since 1970>,v1=<HMAC-SHA256 of t, a point and the body, in hex>` */
  readonly signature: string;
  /** The same one is taken once. */
  readonly deliveryId: string;
}

/** What is seen outside and told to a channel. */
export interface ObservationsApi {
  /** Oldest first. */
  sources(channelId: string, options?: CallOptions): Promise<ObservationSource[]>;
  /** The secret is in this answer and in no other. */
  createSource(
    source: Defaulted<CreateObservationSource, 'scope' | 'visibilityHint' | 'enabled'>,
    options?: CallOptions,
  ): Promise<ObservationSourceWithSecret>;
  getSource(sourceId: string, options?: CallOptions): Promise<ObservationSource>;
  updateSource(
    sourceId: string,
    change: UpdateObservationSource,
    options?: CallOptions,
  ): Promise<ObservationSource>;
  deleteSource(sourceId: string, options?: CallOptions): Promise<void>;
  /** The secret before it ends at once. */
  rotateSecret(sourceId: string, options?: CallOptions): Promise<ObservationSourceWithSecret>;
  /** Newest first. */
  list(
    sourceId: string,
    query?: QueryFor<'listObservations'>,
    options?: CallOptions,
  ): Promise<Observation[]>;
  send(sourceId: string, body: Uint8Array, options: SendObservationOptions): Promise<Observation>;
}

export function observationsApi(call: Caller): ObservationsApi {
  return {
    sources: async (channelId, options) =>
      (await call('listObservationSources', { query: { channelId }, ...options })).sources,
    createSource: (source, options) =>
      call('createObservationSource', { body: source as CreateObservationSource, ...options }),
    getSource: (sourceId, options) =>
      call('getObservationSource', { params: { sourceId }, ...options }),
    updateSource: (sourceId, body, options) =>
      call('updateObservationSource', { params: { sourceId }, body, ...options }),
    deleteSource: (sourceId, options) =>
      call('deleteObservationSource', { params: { sourceId }, ...options }),
    rotateSecret: (sourceId, options) =>
      call('rotateObservationSecret', { params: { sourceId }, ...options }),
    list: async (sourceId, query, options) =>
      (await call('listObservations', { params: { sourceId }, query, ...options })).observations,
    send: (sourceId, body, { signature, deliveryId, ...options }) =>
      call('observe', {
        params: { sourceId },
        body,
        headers: { 'stoa-signature': signature, 'stoa-delivery': deliveryId },
        ...options,
      }),
  };
}
