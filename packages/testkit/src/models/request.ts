import type { IncomingHttpHeaders } from 'node:http';
import { type Conversation, freshResults, lastUserText, type SeenResult } from './conversation.js';
import { asString, type JsonObject } from './json.js';
import type { WireName } from './wire.js';

/**
 * pending → answered: everything was sent
 *         → refused: with a status, by the script or by a rule
 *         → broken: by a fault of the script
 *         → abandoned: the client left before the end
 */
export type RequestOutcome = 'pending' | 'answered' | 'refused' | 'broken' | 'abandoned';

export interface ArrivedRequest {
  readonly wire: WireName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: JsonObject;
  readonly conversation: Conversation;
}

/** One request for a completion, as the model saw it. */
export class ModelRequest {
  readonly wire: WireName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte: what a search for a leaked secret goes through. */
  readonly text: string;
  readonly body: JsonObject;
  readonly conversation: Conversation;
  outcome: RequestOutcome = 'pending';
  /** Chunks that were handed to the connection. */
  chunksSent = 0;
  /** Why it was refused, in the provider's words. */
  refusal: string | undefined;

  constructor(
    /** Counts from 0. */
    readonly index: number,
    arrived: ArrivedRequest,
  ) {
    this.wire = arrived.wire;
    this.path = arrived.path;
    this.headers = arrived.headers;
    this.text = arrived.text;
    this.body = arrived.body;
    this.conversation = arrived.conversation;
  }

  get key(): string | undefined {
    return keyOf(this.headers);
  }

  get model(): string {
    return asString(this.body.model) ?? '';
  }

  get stream(): boolean {
    return this.body.stream === true;
  }

  get system(): string {
    return this.conversation.system;
  }

  get tools(): readonly string[] {
    return this.conversation.tools;
  }

  get lastUserText(): string {
    return lastUserText(this.conversation);
  }

  /** Results that came after the model last spoke. */
  get toolResults(): readonly SeenResult[] {
    return freshResults(this.conversation);
  }
}

export function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
}
