import type { StoaProblem } from '../problem.js';

export interface SocketHandlers {
  opened(): void;
  received(text: string): void;
  /** Called once, also when the socket never opened; `refusal` if the daemon said why. */
  closed(refusal?: StoaProblem): void;
}

export interface Socket {
  send(text: string): void;
  /** After this no handler is called any more. */
  close(): void;
}

/**
 * Opens a WebSocket to the stream of a daemon. Never throws and calls no handler before it returns:
 * what fails ends in `closed`.
 */
export type OpenSocket = (
  url: string,
  token: string | undefined,
  handlers: SocketHandlers,
) => Socket;
