import { conversationOf, type RawTurn } from './conversation.js';
import { fragments } from './fragments.js';
import { asObject, asObjects, asString, type JsonObject } from './json.js';
import type { Finish, RefusalReason } from './reply.js';
import { dataEvent, type IssuedMessage, refuseRule, type Wire } from './wire.js';

const FINISH: Readonly<Record<Finish, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

const STATUS: Readonly<Record<RefusalReason, readonly [code: number, status: string]>> = {
  invalid_request: [400, 'INVALID_ARGUMENT'],
  unauthorized: [401, 'UNAUTHENTICATED'],
  forbidden: [403, 'PERMISSION_DENIED'],
  not_found: [404, 'NOT_FOUND'],
  too_large: [413, 'INVALID_ARGUMENT'],
  rate_limited: [429, 'RESOURCE_EXHAUSTED'],
  quota: [429, 'RESOURCE_EXHAUSTED'],
  context_length: [400, 'INVALID_ARGUMENT'],
  server_error: [500, 'INTERNAL'],
  overloaded: [503, 'UNAVAILABLE'],
};

/** POST /v1beta/models/MODEL:streamGenerateContent, as Gemini speaks it. */
export const geminiContent: Wire = {
  name: 'gemini_content',
  idPrefix: { message: 'resp-', call: 'call_' },

  check: (body) =>
    asObjects(body.contents).length === 0 ? refuseRule('contents is not specified') : undefined,

  read(body) {
    const declared = asObjects(body.tools).flatMap((tool) => asObjects(tool.functionDeclarations));
    const system = asObject(body.systemInstruction);
    const turns = asObjects(body.contents).map(readContent);
    const first: RawTurn[] = system
      ? [{ role: 'system', text: textOf(system), toolCalls: [], toolResults: [] }]
      : [];
    return conversationOf(
      [...first, ...turns],
      declared.map(({ name }) => asString(name)),
    );
  },

  stream: (message) => [
    ...fragments(message.text, message.chunkSize).map((text) =>
      dataEvent(answer(message, [{ text }])),
    ),
    dataEvent({ ...answer(message, callParts(message), FINISH[message.finish]) }),
  ],

  whole: (message) =>
    answer(
      message,
      [...(message.text === '' ? [] : [{ text: message.text }]), ...callParts(message)],
      FINISH[message.finish],
    ),

  refuse({ reason, status, message }) {
    const [code, name] = STATUS[reason];
    const words =
      message ?? `${name.toLowerCase().replaceAll('_', ' ')} (${String(status ?? code)})`;
    const error = { code: status ?? code, message: words, status: name };
    return { status: status ?? code, headers: {}, body: { error }, message: words };
  },

  streamError: () => dataEvent({ error: { code: 500, message: 'internal', status: 'INTERNAL' } }),
};

function answer(message: IssuedMessage, parts: JsonObject[], finishReason?: string): JsonObject {
  const { input, output, cachedInput } = message.usage;
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    modelVersion: message.model,
    responseId: message.id,
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      cachedContentTokenCount: cachedInput,
      totalTokenCount: input + output,
    },
  };
}

const callParts = ({ calls }: IssuedMessage): JsonObject[] =>
  calls.map(({ id, name, arguments: args }) => ({
    functionCall: { id, name, args: JSON.parse(args) as JsonObject },
  }));

const textOf = (content: JsonObject): string =>
  asObjects(content.parts)
    .flatMap(({ text, thought }) => (thought === true ? [] : [asString(text) ?? '']))
    .filter((text) => text !== '')
    .join('\n');

function readContent(content: JsonObject): RawTurn {
  const parts = asObjects(content.parts);
  const toolCalls = parts.flatMap(({ functionCall }) => {
    const call = asObject(functionCall);
    if (!call) return [];
    const name = asString(call.name) ?? '';
    return [{ id: asString(call.id) ?? name, name, arguments: JSON.stringify(call.args ?? {}) }];
  });
  const toolResults = parts.flatMap(({ functionResponse }) => {
    const result = asObject(functionResponse);
    if (!result) return [];
    const id = asString(result.id) ?? asString(result.name) ?? '';
    return [{ id, text: JSON.stringify(result.response ?? {}), isError: false }];
  });
  const role = content.role === 'model' ? 'assistant' : toolResults.length > 0 ? 'tool' : 'user';
  return { role, text: textOf(content), toolCalls, toolResults };
}
