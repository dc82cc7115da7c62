export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** After this long without an answer the connection counts as lost. Absent: no limit. */
  readonly timeoutMs?: number;
}

export interface TransportAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends one request. Rejects with `ConnectionLost` if no complete answer arrived, and with the signal's reason if it
 * was aborted; any HTTP status is an answer.
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
