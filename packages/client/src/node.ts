import { provenToken } from './access/caller-credential.js';
import { type ProofPorts, proveDaemon } from './access/daemon-proof.js';
import { type Client, type ClientOptions, createClient } from './client.js';
import { nodeTransport } from './http/node-transport.js';
import { nodeSocket } from './live/node-socket.js';

export { type NodeTransport, nodeTransport } from './http/node-transport.js';
export { nodeSocket } from './live/node-socket.js';

export interface NodeClientOptions extends ClientOptions {
  /**
   * Send the token only to a server that has proven that it knows it (`daemon_not_proven`). It costs one request,
   * again after each lost connection.
   */
  readonly proveDaemon?: boolean;
}

/** The client for programs on Node: `node:http` connections, and WebSockets with the token in a header. */
export function createNodeClient({ proveDaemon: isAsked, ...options }: NodeClientOptions): Client {
  const transport = nodeTransport();
  const { token, baseUrl, timeoutMs = 60_000 } = options;
  const client = createClient({
    transport,
    openSocket: nodeSocket,
    ...options,
    ...(isAsked && token !== undefined
      ? { credential: provenToken(token, () => knows(token, { transport, baseUrl, timeoutMs })) }
      : {}),
  });
  return {
    ...client,
    close() {
      client.close();
      transport.close();
    },
  };
}

const NAMED_BY = 8;

/** The key is the digest of the token; the daemon stores nothing else of it. */
async function knows(token: string, ports: ProofPorts): Promise<void> {
  // Loaded here: most commands know the process of their daemon and need no proof.
  const { createHash, createHmac } = await import('node:crypto');
  const digest = createHash('sha256').update(token).digest('hex');
  const key = { of: 'token', digestPrefix: digest.slice(0, NAMED_BY) } as const;
  await proveDaemon(ports, key, (text) => createHmac('sha256', digest).update(text).digest('hex'));
}
