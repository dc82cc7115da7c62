import type { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type AnyNotification,
  methods,
  type Stream,
} from '@agentclientprotocol/sdk';
import { AcpFailure } from './acp-failure.js';
import type { StreamLimits } from './acp-limits.js';

export interface StreamPorts {
  readonly now: () => number;
  /** Called for every message. */
  readonly received: () => void;
  /** Gets `session/update`, because the library rejects kinds of updates that it does not know. */
  readonly update: (params: unknown) => void;
  /** Gets the lines that are no messages. */
  readonly invalidLine: (line: string) => void;
  /** Called when the output exceeds a limit; nothing is read afterwards. */
  readonly failed: (failure: AcpFailure) => void;
}

const NEWLINE = 0x0a;
const SHOWN_CHARS = 200;

/**
 * The messages of a program, one per line. Passes on only valid messages, and answers only to open requests: the
 * library would print all others to the console of the daemon.
 */
export function messageStream(
  { stdin, stdout }: { readonly stdin: Writable; readonly stdout: Readable },
  limits: StreamLimits,
  ports: StreamPorts,
): Stream {
  const openRequests = new Set<unknown>();
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) openRequests.add(message.id);
      return new Promise((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      });
    },
  });
  let invalidLines = 0;
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
        const message = readMessage(line, openRequests);
        if (message) {
          invalidLines = 0;
          ports.received();
          if (isUpdate(message)) ports.update(message.params);
          else controller.enqueue(message);
          return;
        }
        invalidLines += 1;
        ports.invalidLine(shorten(line));
        if (invalidLines < limits.invalidLines) return;
        const problem = `its output is not the protocol: ${shorten(line)}`;
        end(new AcpFailure('acp_protocol_error', problem));
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
        const limit = String(this.limits.lineBytes);
        this.fail(new AcpFailure('acp_flood', `it wrote a line of more than ${limit} bytes`));
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
    const window = this.#window;
    const message = `it wrote ${String(window.messages)} lines and ${String(window.bytes)} bytes at once`;
    this.fail(new AcpFailure('acp_flood', message));
    return false;
  }
}

function readMessage(line: string, openRequests: Set<unknown>): AnyMessage | undefined {
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
  return openRequests.delete(message['id']) ? (value as AnyMessage) : undefined;
}

function isUpdate(message: AnyMessage): message is AnyNotification {
  return 'method' in message && message.method === methods.client.session.update;
}

function shorten(line: string): string {
  const text = line.replace(/\s+/g, ' ').trim();
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
