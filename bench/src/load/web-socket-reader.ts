import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { FrameCounter } from './frame-counter.js';

export interface ReaderTarget {
  readonly port: number;
  readonly path: string;
  readonly token?: string;
  /** Sent once the socket is open; the server answers it with one frame, which is not counted. */
  readonly request?: string;
}

export interface ReaderEvents {
  /** It is open, and its request was answered. */
  readonly ready: (reader: WebSocketReader) => void;
  readonly frames: (reader: WebSocketReader, count: number) => void;
  readonly closed: (reader: WebSocketReader) => void;
}

const END_OF_HEAD = '\r\n\r\n';
const OPCODE = { text: 0x1, pong: 0xa } as const;

/** A subscriber on a bare socket. */
export class WebSocketReader {
  readonly #socket: Socket;
  readonly #counter = new FrameCounter();
  #head = '';
  #isOpen = false;
  #isReady = false;

  constructor(
    { port, path, token, request }: ReaderTarget,
    private readonly events: ReaderEvents,
  ) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n` +
        `${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`,
    );
    this.#socket.on('data', (chunk: Buffer) => {
      if (this.#isOpen) this.#receive(chunk);
      else this.#shakeHands(chunk, request);
    });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      events.closed(this);
    });
  }

  /** Takes nothing any more, as a sleeping laptop. */
  stall(): void {
    this.#socket.pause();
  }

  #shakeHands(chunk: Buffer, request: string | undefined): void {
    this.#head += chunk.toString('latin1');
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end === -1) return;
    if (!this.#head.startsWith('HTTP/1.1 101')) throw new Error(`refused: ${this.#head}`);
    const rest = Buffer.from(this.#head.slice(end + END_OF_HEAD.length), 'latin1');
    this.#isOpen = true;
    if (request === undefined) this.#becomeReady();
    else this.#send(OPCODE.text, Buffer.from(request));
    if (rest.length > 0) this.#receive(rest);
  }

  #receive(chunk: Buffer): void {
    const { texts, pings } = this.#counter.push(chunk);
    for (let i = 0; i < pings; i++) this.#send(OPCODE.pong, Buffer.alloc(0));
    if (texts === 0) return;
    const isAnswer = !this.#isReady;
    if (isAnswer) this.#becomeReady();
    const counted = isAnswer ? texts - 1 : texts;
    if (counted > 0) this.events.frames(this, counted);
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.events.ready(this);
  }

  /** Clients must mask what they send; a mask of zeros changes nothing. */
  #send(opcode: number, payload: Buffer): void {
    const length =
      payload.length < 126
        ? Buffer.from([0x80 | payload.length])
        : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff]);
    const mask = Buffer.alloc(4);
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode]), length, mask, payload]));
  }
}
