import { call } from './call.js';

/** Throws unless the stored tables are what a replay of the logs gives. */
export async function assertIntact(daemon: {
  readonly url: string;
  readonly token: string;
}): Promise<void> {
  const answer = await call<{ ok?: boolean; problems?: string[] }>(
    daemon.url,
    'POST',
    '/v1/checks',
    { token: daemon.token },
  );
  if (answer.status === 200 && answer.json.ok === true) return;
  throw new Error(`the store is damaged: ${answer.json.problems?.join('; ') ?? answer.text}`);
}
