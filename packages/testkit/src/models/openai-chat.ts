import { conversationOf, type RawTurn } from './conversation.js';
import { fragments } from './fragments.js';
import { asObject, asObjects, asString, isArray, type Json, type JsonObject } from './json.js';
import { checkOpenaiChat } from './openai-chat-rules.js';
import { refuseAsOpenai } from './openai-errors.js';
import type { Finish } from './reply.js';
import { dataEvent, type IssuedMessage, type IssuedUsage, type Wire } from './wire.js';

const FINISH: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
};

/** POST /v1/chat/completions, as OpenAI and the many that are compatible with it speak it. */
export const openaiChat: Wire = {
  name: 'openai_chat',
  idPrefix: { message: 'chatcmpl-', call: 'call_' },
  check: checkOpenaiChat,
  refuse: refuseAsOpenai,

  read(body) {
    const tools = asObjects(body.tools).map((tool) => asString(asObject(tool.function)?.name));
    return conversationOf(asObjects(body.messages).map(readMessage), tools);
  },

  stream(message, body) {
    const wantsUsage = asObject(body.stream_options)?.include_usage === true;
    const usage = usageOf(message.usage);
    const chunk = (choices: readonly Json[], withUsage: Json): string =>
      dataEvent({
        id: message.id,
        object: 'chat.completion.chunk',
        created: message.created,
        model: message.model,
        service_tier: 'default',
        system_fingerprint: 'fp_fake',
        choices,
        ...(wantsUsage ? { usage: withUsage } : {}),
      });
    const delta = (content: JsonObject, finish: string | null = null): string =>
      chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finish }], null);
    const texts = fragments(message.text, message.chunkSize);
    return [
      delta({ role: 'assistant', content: texts.length > 0 ? '' : null, refusal: null }),
      ...fragments(message.reasoning, message.chunkSize).map((reasoning_content) =>
        delta({ reasoning_content }),
      ),
      ...texts.map((content) => delta({ content })),
      ...callDeltas(message).map((call) => delta({ tool_calls: [call] })),
      delta({}, FINISH[message.finish]),
      ...(wantsUsage ? [chunk([], usage)] : []),
      'data: [DONE]\n\n',
    ];
  },

  whole(message) {
    const calls = message.calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
    return {
      id: message.id,
      object: 'chat.completion',
      created: message.created,
      model: message.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: message.text === '' ? null : message.text,
            ...(message.reasoning === '' ? {} : { reasoning_content: message.reasoning }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
            refusal: null,
          },
          logprobs: null,
          finish_reason: FINISH[message.finish],
        },
      ],
      usage: usageOf(message.usage),
      service_tier: 'default',
      system_fingerprint: 'fp_fake',
    };
  },

  streamError(message) {
    return dataEvent(
      refuseAsOpenai({ kind: 'refusal', reason: 'server_error' }, message.model).body,
    );
  },
};

/** The id and the name come once, with the first fragment; what follows knows only its index. */
function callDeltas({ calls, chunkSize, interleave }: IssuedMessage): JsonObject[] {
  const perCall = calls.map((call, index): JsonObject[] => [
    { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
    ...fragments(call.arguments, chunkSize).map((piece) => ({
      index,
      function: { arguments: piece },
    })),
  ]);
  if (!interleave) return perCall.flat();
  const longest = Math.max(0, ...perCall.map((deltas) => deltas.length));
  return Array.from({ length: longest }, (_, at) =>
    perCall.map((deltas) => deltas[at]).filter((delta) => delta !== undefined),
  ).flat();
}

function usageOf(usage: IssuedUsage): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function readMessage(message: JsonObject): RawTurn {
  const text = textOf(message.content);
  const toolCalls = asObjects(message.tool_calls).map((call) => ({
    id: asString(call.id) ?? '',
    name: asString(asObject(call.function)?.name) ?? '',
    arguments: asString(asObject(call.function)?.arguments) ?? '',
  }));
  switch (message.role) {
    case 'tool': {
      const result = { id: asString(message.tool_call_id) ?? '', text, isError: false };
      return { role: 'tool', text: '', toolCalls: [], toolResults: [result] };
    }
    case 'assistant':
      return { role: 'assistant', text, toolCalls, toolResults: [] };
    case 'system':
    case 'developer':
      return { role: 'system', text, toolCalls: [], toolResults: [] };
    default:
      return { role: 'user', text, toolCalls: [], toolResults: [] };
  }
}

/** Content is a string, or a list of parts of which some are text. */
export function textOf(content: Json | undefined): string {
  if (!isArray(content)) return asString(content) ?? '';
  return asObjects(content)
    .map((part) => asString(part.text) ?? '')
    .join('');
}
