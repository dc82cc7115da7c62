import type { Gate } from './gate.js';
import {
  type Break,
  type MessageReply,
  type RefusalOptions,
  type RefusalReason,
  type RefusalReply,
  say,
} from './reply.js';

/** The answer that is broken, and after how many of its chunks. */
export interface BreakOptions {
  readonly after?: number;
  readonly of?: MessageReply;
}

const REASONS: Readonly<Record<number, RefusalReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  429: 'rate_limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** Refuses with this status, in the provider's own words for it. */
export function status(code: number, options: RefusalOptions = {}): RefusalReply {
  const reason = REASONS[code] ?? (code < 500 ? 'invalid_request' : 'server_error');
  return { kind: 'refusal', reason, status: code, ...options };
}

/** 529 at Anthropic, 503 at OpenAI. */
export function overloaded(options: RefusalOptions = {}): RefusalReply {
  return { kind: 'refusal', reason: 'overloaded', ...options };
}

/** The 400 by which each provider says that the prompt does not fit. */
export function contextExceeded(options: RefusalOptions = {}): RefusalReply {
  return { kind: 'refusal', reason: 'context_length', ...options };
}

/** A 429 that no waiting helps: the account is empty. */
export function quotaExceeded(options: RefusalOptions = {}): RefusalReply {
  return { kind: 'refusal', reason: 'quota', ...options };
}

/** The connection is reset: before any answer, or after so many chunks of one. */
export function reset(options: BreakOptions = {}): MessageReply {
  return broken('reset', options);
}

/** Bytes that are no JSON inside an event, or that are no event at all; then the stream ends. */
export function garbage(
  options: BreakOptions & { readonly as?: 'json' | 'sse' } = {},
): MessageReply {
  return broken(options.as === 'sse' ? 'garbage_sse' : 'garbage_json', options);
}

/** Sends nothing more, and keeps the connection until the client closes it. */
export function hang(options: BreakOptions = {}): MessageReply {
  return broken('hang', options);
}

/** Ends the stream properly as HTTP goes, but before the answer has finished. */
export function cutOff(options: BreakOptions = {}): MessageReply {
  return broken('cut_off', options);
}

/** The provider's error event, within a stream that began with status 200. */
export function streamError(options: BreakOptions = {}): MessageReply {
  return broken('stream_error', options);
}

/** A finished answer without content. */
export function empty(): MessageReply {
  return { kind: 'message' };
}

/** A call whose arguments are not JSON. */
export function malformedArguments(name: string, text = '{"path": "a'): MessageReply {
  return { kind: 'message', toolCalls: [{ name, arguments: text }] };
}

/** Each chunk waits at the gate. */
export function slow(gate: Gate, of: MessageReply): MessageReply {
  return { ...of, gate };
}

function broken(
  by: Break['by'],
  { after = 0, of = say('This answer breaks before its end.') }: BreakOptions,
): MessageReply {
  return { ...of, breaks: { by, after } };
}
