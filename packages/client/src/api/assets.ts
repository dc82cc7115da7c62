import type { Asset, Channel } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';
import { CALLS } from '../http/calls.js';
import { requestUrl } from '../http/request-url.js';

/** The bounds of the contract (`LIMITS.assetBytes`, `LIMITS.inputItems`). */
export const ASSET_BYTES = 12 * 1024 * 1024;
export const ITEMS_PER_MESSAGE = 20;

export interface AssetsApi {
  upload(
    bytes: Uint8Array,
    options?: CallOptions & { readonly name?: string | undefined },
  ): Promise<Asset>;
  get(assetId: string, options?: CallOptions): Promise<Asset>;
  raw(assetId: string, options?: CallOptions): Promise<Uint8Array>;
  /** Where the bytes are. Reading them there needs the credential, as any call does. */
  rawUrl(assetId: string): string;
  delete(assetId: string, options?: CallOptions): Promise<void>;
}

export function assetsApi(call: Caller, baseUrl: string): AssetsApi {
  return {
    upload: (body, { name, ...options } = {}) =>
      call('createAsset', { body, query: { name }, ...options }),
    get: (assetId, options) => call('getAsset', { params: { assetId }, ...options }),
    raw: (assetId, options) => call('readAsset', { params: { assetId }, ...options }),
    rawUrl: (assetId) => requestUrl(baseUrl, CALLS.readAsset.path, { assetId }, {}),
    delete: (assetId, options) => call('deleteAsset', { params: { assetId }, ...options }),
  };
}

export interface PinsApi {
  add(channelId: string, assetId: string, options?: CallOptions): Promise<Channel>;
  remove(channelId: string, assetId: string, options?: CallOptions): Promise<Channel>;
}

export function pinsApi(call: Caller): PinsApi {
  return {
    add: (channelId, assetId, options) =>
      call('pinAsset', { params: { channelId, assetId }, ...options }),
    remove: (channelId, assetId, options) =>
      call('unpinAsset', { params: { channelId, assetId }, ...options }),
  };
}
