import type { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type AnyNotification,
  methods,
  type Stream,
} from '@agentclientprotocol/sdk';
import { AcpFailure } from './acp-failure.js';

/** How much a program may say. What goes beyond is no conversation any more. */
export interface StreamLimits {
  readonly lineBytes: number;
  readonly windowMs: number;
  readonly bytesPerWindow: number;
  readonly messagesPerWindow: number;
  /** Lines in a row that are no messages; some programs greet or warn on the wrong stream. */
  readonly strayLines: number;
}

export const STREAM_LIMITS: StreamLimits = {
  lineBytes: 16 * 1024 * 1024,
  windowMs: 5_000,
  bytesPerWindow: 64 * 1024 * 1024,
  messagesPerWindow: 20_000,
  strayLines: 20,
};

export interface StreamPorts {
  readonly now: () => number;
  /** A whole message came. */
  readonly heard: () => void;
  /** A notice about a session came. The library knows only what was known when it was made. */
  readonly update: (params: unknown) => void;
  /** A line came that is no message. */
  readonly stray: (line: string) => void;
  /** It said too much, or nothing that can be understood: what it says is not read any more. */
  readonly failed: (failure: AcpFailure) => void;
}

const NEWLINE = 0x0a;
const SHOWN_CHARS = 200;

/**
 * The messages of a program, one a line. Only whole and answerable ones get through: the library would
 * write about all others to the console of the daemon.
 */
export function messageStream(
  { stdin, stdout }: { readonly stdin: Writable; readonly stdout: Readable },
  limits: StreamLimits,
  ports: StreamPorts,
): Stream {
  const awaited = new Set<unknown>();
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) awaited.add(message.id);
      return new Promise((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      });
    },
  });
  let strays = 0;
  let isOver = false;
  const readable = new ReadableStream<AnyMessage>({
    cancel() {
      isOver = true;
    },
    start(controller) {
      const end = (failure?: AcpFailure): void => {
        if (isOver) return;
        isOver = true;
        stdout.removeAllListeners('data');
        stdout.resume();
        if (failure) {
          ports.failed(failure);
          controller.error(failure);
        } else controller.close();
      };
      const take = (line: string): void => {
        if (isOver || line.trim() === '') return;
        const message = readMessage(line, awaited);
        if (message) {
          strays = 0;
          ports.heard();
          if (isUpdate(message)) ports.update(message.params);
          else controller.enqueue(message);
          return;
        }
        strays += 1;
        ports.stray(shorten(line));
        if (strays < limits.strayLines) return;
        const words = `it writes what is no message of the protocol: ${shorten(line)}`;
        end(new AcpFailure('acp_protocol_error', words));
      };
      const lines = new Lines(limits, ports.now, take, end);
      stdout.on('data', (chunk: Buffer) => {
        lines.add(chunk);
      });
      stdout.once('end', () => {
        end();
      });
      stdout.once('error', () => {
        end();
      });
    },
  });
  return { readable, writable };
}

class Lines {
  #parts: Buffer[] = [];
  #bytes = 0;
  #window = { since: 0, bytes: 0, messages: 0 };

  constructor(
    private readonly limits: StreamLimits,
    private readonly now: () => number,
    private readonly take: (line: string) => void,
    private readonly fail: (failure: AcpFailure) => void,
  ) {}

  add(chunk: Buffer): void {
    if (!this.#count({ bytes: chunk.length, messages: 0 })) return;
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      this.#parts.push(part);
      this.#bytes += part.length;
      if (this.#bytes > this.limits.lineBytes) {
        this.#parts = [];
        const most = String(this.limits.lineBytes);
        this.fail(new AcpFailure('acp_flood', `it wrote a line of more than ${most} bytes`));
        return;
      }
      if (end < 0) return;
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#bytes = 0;
      if (!this.#count({ bytes: 0, messages: 1 })) return;
      this.take(line);
      rest = rest.subarray(end + 1);
    }
  }

  #count({ bytes, messages }: { readonly bytes: number; readonly messages: number }): boolean {
    const { windowMs, bytesPerWindow, messagesPerWindow } = this.limits;
    const now = this.now();
    if (now - this.#window.since > windowMs) this.#window = { since: now, bytes: 0, messages: 0 };
    this.#window.bytes += bytes;
    this.#window.messages += messages;
    if (this.#window.bytes <= bytesPerWindow && this.#window.messages <= messagesPerWindow) {
      return true;
    }
    const { bytes: said, messages: lines } = this.#window;
    const words = `it wrote ${String(lines)} lines and ${String(said)} bytes at once`;
    this.fail(new AcpFailure('acp_flood', words));
    return false;
  }
}

function readMessage(line: string, awaited: Set<unknown>): AnyMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const message = value as Readonly<Record<string, unknown>>;
  if (message['jsonrpc'] !== '2.0') return undefined;
  if (typeof message['method'] === 'string') return value as AnyMessage;
  return awaited.delete(message['id']) ? (value as AnyMessage) : undefined;
}

function isUpdate(message: AnyMessage): message is AnyNotification {
  return 'method' in message && message.method === methods.client.session.update;
}

function shorten(line: string): string {
  const text = line.replace(/\s+/g, ' ').trim();
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
