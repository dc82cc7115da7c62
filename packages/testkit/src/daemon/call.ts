import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is; `body` is sent as JSON. */
  readonly raw?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps connections; without one every call has its own. */
  readonly agent?: Agent;
}

export interface CallAnswer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /** The answer as JSON; throws when it is not. */
  readonly json: T;
}

/** One plain HTTP request with full control over its headers, `Host` included. */
export function call<T = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  { token, body, raw, headers = {}, agent }: CallOptions = {},
): Promise<CallAnswer<T>> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const target = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        method,
        path,
        agent: agent ?? false,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            bytes,
            get json() {
              return JSON.parse(text) as T;
            },
          });
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}
