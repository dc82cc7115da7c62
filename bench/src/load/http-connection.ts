import { connect, type Socket } from 'node:net';
import type { Scope } from '../world/scope.js';

const END_OF_HEAD = '\r\n\r\n';
const STATUS_AT = 9;

/**
 * A keep-alive connection that does no more than it must: the load generator shares two cores with
 * what it measures. One request at a time; an answer that is not 2xx is an error.
 */
export class HttpConnection {
  #received = '';
  #missing = -1;
  #resolve: ((body: string) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#receive(chunk);
    });
    socket.on('error', (error) => {
      this.#reject?.(error);
    });
    socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  static open(scope: Scope, port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      scope.defer(() => socket.destroy());
      socket.once('error', reject);
      socket.once('connect', () => {
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** Resolves with the body of the answer, one character a byte. */
  exchange(request: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.socket.write(request);
    });
  }

  #receive(chunk: string): void {
    this.#received = this.#received === '' ? chunk : this.#received + chunk;
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head === -1) return;
    if (this.#missing === -1) {
      const length = /content-length: (\d+)/i.exec(this.#received)?.[1];
      this.#missing = head + END_OF_HEAD.length + Number(length);
    }
    if (this.#received.length < this.#missing) return;
    const answer = this.#received;
    this.#received = '';
    this.#missing = -1;
    if (answer[STATUS_AT] === '2') this.#resolve?.(answer.slice(head + END_OF_HEAD.length));
    else this.#reject?.(new Error(answer));
  }
}

export function openConnections(
  scope: Scope,
  port: number,
  count: number,
): Promise<HttpConnection[]> {
  return Promise.all(Array.from({ length: count }, () => HttpConnection.open(scope, port)));
}

/** A request whose bytes are made once. */
export function postRequest(port: number, path: string, token: string, body: unknown): Buffer {
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
