import { ConnectionLost, type Transport, type TransportRequest } from './transport.js';

/** The transport of browsers. On Node prefer `nodeTransport`: loading fetch costs 30 ms there. */
export const fetchTransport: Transport = async (request) => {
  try {
    const answer = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      signal: deadline(request),
      redirect: 'error',
      // The daemon must not get cookies of other servers on this host.
      credentials: 'omit',
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw new ConnectionLost(String(error), isRefusal(error), { cause: error });
  }
};

function deadline(request: TransportRequest): AbortSignal | null {
  const signals: AbortSignal[] = [];
  if (request.signal) signals.push(request.signal);
  if (request.timeoutMs !== undefined) signals.push(AbortSignal.timeout(request.timeoutMs));
  return signals.length > 0 ? AbortSignal.any(signals) : null;
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
