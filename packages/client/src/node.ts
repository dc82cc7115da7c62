import { type Client, type ClientOptions, createClient } from './client.js';
import { nodeTransport } from './http/node-transport.js';
import { nodeSocket } from './live/node-socket.js';

export { type NodeTransport, nodeTransport } from './http/node-transport.js';
export { nodeSocket } from './live/node-socket.js';

/** The client for programs on Node: `node:http` connections, and WebSockets that carry the token. */
export function createNodeClient(options: ClientOptions): Client {
  const transport = nodeTransport();
  const client = createClient({ transport, openSocket: nodeSocket, ...options });
  return {
    ...client,
    close() {
      client.close();
      transport.close();
    },
  };
}
