import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request that a server was sent. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What it answers a program with, as JSON. */
type Answering = (received: Received) => Promise<string> | string;

/** A proof made without the key. */
const pretend: Answering = () =>
  JSON.stringify({ challenge: 'x.y.z', proofs: ['0'.repeat(64)], accessToken: 'stoa_access_x' });

/** A foreign server on 127.0.0.1 that records everything it receives. */
export class ForeignServer {
  readonly received: Received[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    answering: Answering,
  ) {
    server.on('connection', (socket: Socket) => this.#sockets.add(socket));
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
      this.#keep(incoming, '');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    server.on('request', (incoming, response) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      incoming.on('end', () => {
        const received = this.#keep(incoming, body);
        if (incoming.headers.accept?.includes('text/html')) {
          response.setHeader('content-type', 'text/html');
          response.end('<link rel="icon" href="data:,">elsewhere');
          return;
        }
        response.setHeader('content-type', 'application/json');
        void Promise.resolve(answering(received)).then((text) => response.end(text));
      });
    });
  }

  static async listen(port = 0, answering: Answering = pretend): Promise<ForeignServer> {
    const server = createServer();
    const foreign = new ForeignServer(server, answering);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return foreign;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  #keep({ method = '', url = '', headers }: IncomingMessage, body: string): Received {
    const received = { method, path: url, headers, body };
    this.received.push(received);
    return received;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
