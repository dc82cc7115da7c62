import type { JsonObject } from './json.js';

/** GET /v1/models, which both providers have on the same path. */
export function listModels(ids: readonly string[], isAnthropic: boolean): JsonObject {
  if (!isAnthropic) {
    const data = ids.map((id) => ({
      id,
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'fake',
    }));
    return { object: 'list', data };
  }
  return {
    data: ids.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2025-01-01T00:00:00Z',
    })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  };
}
