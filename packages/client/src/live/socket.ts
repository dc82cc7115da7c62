import type { StoaProblem } from '../problem.js';

export interface SocketHandlers {
  opened(): void;
  received(text: string): void;
  /** Called once, also if the socket never opened; with `refusal` if the daemon sent a reason. */
  closed(refusal?: StoaProblem): void;
}

export interface Socket {
  send(text: string): void;
  /** After this no handler is called. */
  close(): void;
}

/**
 * Opens a WebSocket to the stream of a daemon. Never throws and calls no handler before it returns: failures end in
 * `closed`.
 */
export type OpenSocket = (
  url: string,
  token: string | undefined,
  handlers: SocketHandlers,
) => Socket;
