import type { Conversation } from './conversation.js';
import type { Json, JsonObject } from './json.js';
import type { Finish, RefusalReply } from './reply.js';

export type WireName = 'openai_chat' | 'openai_responses' | 'anthropic_messages' | 'gemini_content';

export interface IssuedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A reply with everything decided that the script left open. */
export interface IssuedMessage {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly IssuedCall[];
  readonly usage: IssuedUsage;
  readonly finish: Finish;
  readonly chunkSize: number;
  readonly interleave: boolean;
}

export interface IssuedUsage {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface Refused {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly message: string;
}

/** The wire format of one provider: which requests it accepts, how it answers and how it refuses. */
export interface Wire {
  readonly name: WireName;
  readonly idPrefix: { readonly message: string; readonly call: string };
  read(body: JsonObject): Conversation;
  /** The first rule of the provider that the request breaks. */
  check(body: JsonObject, headers: Readonly<Record<string, unknown>>): RefusalReply | undefined;
  /** The events of a streamed answer, in order. */
  stream(message: IssuedMessage, body: JsonObject): string[];
  whole(message: IssuedMessage): JsonObject;
  refuse(refusal: RefusalReply, model: string): Refused;
  /** What the provider says when it fails within a stream, of which so many events were sent. */
  streamError(message: IssuedMessage, sent: number): string;
}

export function dataEvent(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function namedEvent(name: string, data: JsonObject): string {
  return `event: ${name}\n${dataEvent({ type: name, ...data })}`;
}

export function refuseRule(
  message: string,
  blame: { readonly param?: string; readonly code?: string } = {},
): RefusalReply {
  return { kind: 'refusal', reason: 'invalid_request', status: 400, message, ...blame };
}
