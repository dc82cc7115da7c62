import type { Gate } from './gate.js';
import type { JsonObject } from './json.js';

/** Tokens as they are billed: `input` is the whole prompt, including the part from a cache. */
export interface ModelUsage {
  readonly input?: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** All that was generated, reasoning included. */
  readonly output?: number;
  readonly reasoning?: number;
}

export type Finish = 'stop' | 'tool_calls' | 'length' | 'refusal';

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent as it is, so that it can be something other than JSON. */
  readonly arguments: JsonObject | string;
  /** Made by the server, and unique, unless it is given. */
  readonly id?: string;
}

/** Where an answer goes wrong: before its first chunk, or after that many. */
export interface Break {
  readonly by: 'reset' | 'garbage_json' | 'garbage_sse' | 'hang' | 'cut_off' | 'stream_error';
  readonly after: number;
}

export interface MessageOptions {
  readonly reasoning?: string;
  readonly usage?: ModelUsage;
  readonly finish?: Finish;
  /** Characters per fragment, of text, of reasoning and of arguments. */
  readonly chunkSize?: number;
  /** Whether fragments of parallel calls are mixed, where the wire can do that. They are. */
  readonly interleave?: boolean;
  /** Each chunk takes one permit, and so does a break after them; a whole body takes one. */
  readonly gate?: Gate;
}

export interface MessageReply extends MessageOptions {
  readonly kind: 'message';
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly breaks?: Break;
}

export type RefusalReason =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'rate_limited'
  | 'quota'
  | 'context_length'
  | 'server_error'
  | 'overloaded';

export interface RefusalOptions {
  readonly message?: string;
  /** Seconds or a date, in the form of the header. */
  readonly retryAfter?: number | string;
  /** The finer header that OpenAI also sends. */
  readonly retryAfterMs?: number;
  readonly gate?: Gate;
}

export interface RefusalReply extends RefusalOptions {
  readonly kind: 'refusal';
  readonly reason: RefusalReason;
  /** The provider's own for this reason, unless it is given. */
  readonly status?: number;
  /** The parameter that OpenAI blames. */
  readonly param?: string;
  readonly code?: string;
}

export type Reply = MessageReply | RefusalReply;

export function reply(
  message: MessageOptions & Pick<MessageReply, 'text' | 'toolCalls'>,
): MessageReply {
  return { kind: 'message', ...message };
}

export function say(text: string, options: MessageOptions = {}): MessageReply {
  return { kind: 'message', text, ...options };
}

export function toolCall(name: string, args: JsonObject | string = {}, id?: string): ScriptedCall {
  return { name, arguments: args, ...(id === undefined ? {} : { id }) };
}

/** One answer that calls all of these tools. */
export function useTools(
  calls: readonly ScriptedCall[],
  options: MessageOptions & { readonly text?: string } = {},
): MessageReply {
  return { kind: 'message', toolCalls: calls, ...options };
}
