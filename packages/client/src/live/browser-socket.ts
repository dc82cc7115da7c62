import type { OpenSocket } from './socket.js';

/** The part of the standard WebSocket that is used; Node 20 has none, hence no global type. */
interface StandardWebSocket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

type WebSocketClass = new (url: string, protocols?: string[]) => StandardWebSocket;

/** A page cannot set a header there, and a URL must not contain a secret: the access token is a subprotocol. */
export function browserSocket(): OpenSocket | undefined {
  const { WebSocket } = globalThis as { WebSocket?: WebSocketClass };
  if (!WebSocket) return undefined;
  return (url, token, handlers) => {
    const socket = new WebSocket(url, token === undefined ? [] : ['stoa', `stoa.access.${token}`]);
    socket.onopen = () => handlers.opened();
    socket.onmessage = ({ data }) => handlers.received(String(data));
    socket.onclose = () => handlers.closed();
    // Says nothing more than the close that follows it.
    socket.onerror = () => undefined;
    return {
      send: (text) => socket.send(text),
      close: () => {
        socket.onopen = socket.onmessage = socket.onclose = null;
        socket.close();
      },
    };
  };
}
