import { z } from 'zod';
import { LIMITS } from '../../limits.js';
import { Asset, AssetName } from '../../records/asset.js';
import { AssetId } from '../../records/ids.js';
import { PEOPLE } from '../access-table.js';
import type { Route } from '../route.js';

const inAsset = z.strictObject({ assetId: AssetId });

/** Bytes that messages refer to. */
export const ASSETS_ROUTES = {
  createAsset: {
    method: 'POST',
    path: '/v1/assets',
    tag: 'assets',
    summary: 'Store bytes; equal bytes are stored once',
    access: PEOPLE,
    query: z.strictObject({ name: AssetName.optional() }),
    body: 'bytes',
    bodyLimit: LIMITS.assetBytes,
    answer: Asset,
    status: 201,
  },
  getAsset: {
    method: 'GET',
    path: '/v1/assets/:assetId',
    tag: 'assets',
    summary: 'Read the record of an asset',
    access: PEOPLE,
    params: inAsset,
    answer: Asset,
    status: 200,
  },
  readAsset: {
    method: 'GET',
    path: '/v1/assets/:assetId/raw',
    tag: 'assets',
    summary: 'Download the bytes of an asset',
    access: PEOPLE,
    params: inAsset,
    status: 200,
    carries: 'bytes',
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/v1/assets/:assetId',
    tag: 'assets',
    summary: 'Delete an asset that is neither pinned nor attached (uploader or owner)',
    access: PEOPLE,
    params: inAsset,
    status: 204,
  },
} as const satisfies Record<string, Route>;
