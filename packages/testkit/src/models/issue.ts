import { randomUUID } from 'node:crypto';
import { estimateTokens } from './conversation.js';
import type { MessageReply } from './reply.js';
import type { ModelRequest } from './request.js';
import type { IssuedCall, IssuedMessage, IssuedUsage, Wire } from './wire.js';

const CHUNK_SIZE = 8;

/** Decides what the script left open: ids, usage, why the answer ends. */
export function issue(reply: MessageReply, request: ModelRequest, wire: Wire): IssuedMessage {
  const calls = (reply.toolCalls ?? []).map((call) => ({
    id: call.id ?? freshId(wire.idPrefix.call),
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
  const text = reply.text ?? '';
  const reasoning = reply.reasoning ?? '';
  return {
    id: freshId(wire.idPrefix.message),
    model: request.model,
    created: Math.floor(Date.now() / 1000),
    text,
    reasoning,
    calls,
    usage: usageOf(reply, request, text, reasoning, calls),
    finish: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    chunkSize: reply.chunkSize ?? CHUNK_SIZE,
    interleave: reply.interleave ?? true,
  };
}

function usageOf(
  { usage = {} }: MessageReply,
  request: ModelRequest,
  text: string,
  reasoning: string,
  calls: readonly IssuedCall[],
): IssuedUsage {
  const thought = usage.reasoning ?? estimateTokens(reasoning);
  const spoken = estimateTokens(text + calls.map((call) => call.arguments).join(''));
  return {
    input: usage.input ?? estimateTokens(request.text),
    cachedInput: usage.cachedInput ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
    output: usage.output ?? spoken + thought,
    reasoning: thought,
  };
}

/** Unique over all servers, for agents keep ids for longer than one server lives. */
export function freshId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
