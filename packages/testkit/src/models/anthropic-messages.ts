import { refuseAsAnthropic } from './anthropic-errors.js';
import { checkAnthropic, checkMaxTokens } from './anthropic-rules.js';
import { conversationOf, type RawTurn } from './conversation.js';
import { fragments } from './fragments.js';
import { asObjects, asString, isArray, type Json, type JsonObject, parseObject } from './json.js';
import type { Finish } from './reply.js';
import { signatureOf } from './signature.js';
import { type IssuedMessage, type IssuedUsage, namedEvent, type Wire } from './wire.js';

const STOP_REASON: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
};

/** POST /v1/messages of Anthropic. Blocks come one after another: it never mixes parallel calls. */
export const anthropicMessages: Wire = {
  name: 'anthropic_messages',
  idPrefix: { message: 'msg_', call: 'toolu_' },
  check: (body, headers) => checkMaxTokens(body) ?? checkAnthropic(body, headers),
  refuse: refuseAsAnthropic,

  read(body) {
    const system: RawTurn = {
      role: 'system',
      text: textOf(body.system),
      toolCalls: [],
      toolResults: [],
    };
    const tools = asObjects(body.tools).map((tool) => asString(tool.name));
    return conversationOf([system, ...asObjects(body.messages).map(readMessage)], tools);
  },

  stream(message) {
    const usage = usageOf(message.usage);
    const [first = [], ...rest] = blocksOf(message);
    const [start, ...deltas] = first;
    return [
      namedEvent('message_start', {
        message: {
          ...headOf(message),
          content: [],
          stop_reason: null,
          usage: { ...usage, output_tokens: 1 },
        },
      }),
      ...(start === undefined ? [] : [start]),
      namedEvent('ping', {}),
      ...deltas,
      ...rest.flat(),
      namedEvent('message_delta', {
        delta: { stop_reason: STOP_REASON[message.finish], stop_sequence: null },
        usage,
      }),
      namedEvent('message_stop', {}),
    ];
  },

  whole(message) {
    const { text, reasoning, calls } = message;
    return {
      ...headOf(message),
      content: [
        ...(reasoning === ''
          ? []
          : [{ type: 'thinking', thinking: reasoning, signature: signatureOf(reasoning) }]),
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map((call) => ({
          type: 'tool_use',
          id: call.id,
          name: call.name,
          input: parseObject(call.arguments) ?? call.arguments,
        })),
      ],
      stop_reason: STOP_REASON[message.finish],
      usage: usageOf(message.usage),
    };
  },

  streamError() {
    return namedEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  },
};

function headOf({ id, model }: IssuedMessage): JsonObject {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null };
}

/** The events of each block: its start, its deltas, its stop. */
function blocksOf({ text, reasoning, calls, chunkSize }: IssuedMessage): string[][] {
  const blocks: string[][] = [];
  const add = (content_block: JsonObject, deltas: readonly JsonObject[]): void => {
    const index = blocks.length;
    blocks.push([
      namedEvent('content_block_start', { index, content_block }),
      ...deltas.map((delta) => namedEvent('content_block_delta', { index, delta })),
      namedEvent('content_block_stop', { index }),
    ]);
  };
  if (reasoning !== '') {
    add({ type: 'thinking', thinking: '', signature: '' }, [
      ...fragments(reasoning, chunkSize).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: signatureOf(reasoning) },
    ]);
  }
  if (text !== '') {
    const deltas = fragments(text, chunkSize).map((piece) => ({ type: 'text_delta', text: piece }));
    add({ type: 'text', text: '' }, deltas);
  }
  for (const { id, name, arguments: args } of calls) {
    // The first delta is empty, and the only one when there are no arguments.
    const pieces = args === '{}' ? [''] : ['', ...fragments(args, chunkSize)];
    const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    add({ type: 'tool_use', id, name, input: {} }, deltas);
  }
  return blocks;
}

/** Here the cached parts of the prompt are not counted in `input_tokens`. */
function usageOf({ input, cachedInput, cacheWrite, output, reasoning }: IssuedUsage): JsonObject {
  return {
    input_tokens: input - cachedInput - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
    ...(reasoning === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}

function readMessage(message: JsonObject): RawTurn {
  const blocks = asObjects(message.content);
  const text = textOf(message.content);
  const toolCalls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({
      id: asString(block.id) ?? '',
      name: asString(block.name) ?? '',
      arguments: JSON.stringify(block.input),
    }));
  const toolResults = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({
      id: asString(block.tool_use_id) ?? '',
      text: textOf(block.content),
      isError: block.is_error === true,
    }));
  if (message.role === 'assistant' || message.role === 'system') {
    return { role: message.role, text, toolCalls, toolResults };
  }
  const role = toolResults.length > 0 && text === '' ? 'tool' : 'user';
  return { role, text, toolCalls, toolResults };
}

function textOf(content: Json | undefined): string {
  if (!isArray(content)) return asString(content) ?? '';
  return asObjects(content)
    .filter(({ type }) => type === 'text')
    .map((block) => asString(block.text) ?? '')
    .join('');
}
