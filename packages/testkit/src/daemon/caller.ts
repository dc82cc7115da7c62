import type { Agent } from 'node:http';
import { type CallAnswer, type CallOptions, call } from './call.js';

type Options = Omit<CallOptions, 'token' | 'body'>;
type Answer<T> = Promise<CallAnswer<T>>;

/** A person with a token for one daemon. */
export interface Caller {
  readonly token: string;
  get<T = Record<string, unknown>>(path: string, options?: Options): Answer<T>;
  post<T = Record<string, unknown>>(path: string, body?: unknown, options?: Options): Answer<T>;
  put<T = Record<string, unknown>>(path: string, body?: unknown, options?: Options): Answer<T>;
  patch<T = Record<string, unknown>>(path: string, body?: unknown, options?: Options): Answer<T>;
  delete<T = Record<string, unknown>>(path: string, body?: unknown, options?: Options): Answer<T>;
}

export function callerOf(url: string, token: string, agent?: Agent): Caller {
  const send =
    (method: string) =>
    <T>(path: string, body?: unknown, options?: Options): Answer<T> =>
      call<T>(url, method, path, { token, body, ...(agent ? { agent } : {}), ...options });
  return {
    token,
    get: (path, options) =>
      call(url, 'GET', path, { token, ...(agent ? { agent } : {}), ...options }),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  };
}

/** A person other than the owner, created by the owner. */
export async function newPerson(
  daemon: { readonly url: string; readonly token: string },
  humanId: string,
): Promise<Caller> {
  const minted = await callerOf(daemon.url, daemon.token).post<{ token: string }>('/v1/tokens', {
    humanId,
    name: `token of ${humanId}`,
  });
  if (minted.status !== 201) throw new Error(`no token for ${humanId}: ${minted.text}`);
  return callerOf(daemon.url, minted.json.token);
}
