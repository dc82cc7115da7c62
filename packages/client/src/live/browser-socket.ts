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

type WebSocketClass = new (url: string) => StandardWebSocket;

/** Carries the browser's cookie: a token cannot travel with a browser's WebSocket, nor in a URL. */
export function browserSocket(): OpenSocket | undefined {
  const { WebSocket } = globalThis as { WebSocket?: WebSocketClass };
  if (!WebSocket) return undefined;
  return (url, _token, handlers) => {
    const socket = new WebSocket(url);
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
