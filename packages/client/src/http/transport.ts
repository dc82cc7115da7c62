export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Without an answer for this long the connection counts as lost. Absent: wait. */
  readonly timeoutMs?: number;
}

export interface TransportAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Carries one request. Rejects with `ConnectionLost` when no whole answer came back, and with the
 * signal's reason when it was aborted; any HTTP status is an answer.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** `refused`: nothing listened, so the request certainly had no effect. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(
    message: string,
    readonly refused: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
