import { LIMITS } from '../../limits.js';
import { PEOPLE } from '../access-table.js';
import { tagged } from '../route.js';

/** Assets: bytes that messages refer to. */
export const ASSETS_ROUTES = tagged('assets', {
  createAsset: {
    method: 'POST',
    path: '/v1/assets',
    summary: 'Store bytes; equal bytes are stored once',
    access: PEOPLE,
    query: 'CreateAssetQuery',
    body: 'bytes',
    bodyLimit: LIMITS.assetBytes,
    answer: 'Asset',
    status: 201,
    client: 'assets.upload',
  },
  getAsset: {
    method: 'GET',
    path: '/v1/assets/:assetId',
    summary: 'Read the record of an asset',
    access: PEOPLE,
    answer: 'Asset',
    client: 'assets.get',
  },
  readAsset: {
    method: 'GET',
    path: '/v1/assets/:assetId/raw',
    summary: 'Download the bytes of an asset',
    access: PEOPLE,
    carries: 'bytes',
    client: 'assets.raw',
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/v1/assets/:assetId',
    summary: 'Delete an asset that is neither pinned nor attached (uploader or owner)',
    access: PEOPLE,
    status: 204,
    client: 'assets.delete',
  },
});
