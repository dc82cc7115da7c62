import { conversationOf, type RawTurn } from './conversation.js';
import { asObjects, asString, isArray, type JsonObject } from './json.js';
import { textOf } from './openai-chat.js';
import { refuseAsOpenai } from './openai-errors.js';
import { responseItems, responseOf } from './openai-response-items.js';
import type { RefusalReply } from './reply.js';
import { refuseOpenaiName } from './tool-name.js';
import { dataEvent, refuseRule, type Wire } from './wire.js';

/** POST /v1/responses of OpenAI: the one that has items and not messages. Nothing is stored. */
export const openaiResponses: Wire = {
  name: 'openai_responses',
  idPrefix: { message: 'resp_', call: 'call_' },
  check,

  refuse(refusal, model) {
    const param = refusal.reason === 'context_length' ? { param: 'input' } : {};
    return refuseAsOpenai({ ...param, ...refusal }, model);
  },

  read(body) {
    const instructions: RawTurn = {
      role: 'system',
      text: asString(body.instructions) ?? '',
      toolCalls: [],
      toolResults: [],
    };
    const tools = asObjects(body.tools).flatMap((tool) => {
      const name = asString(tool.name);
      if (tool.type !== 'namespace' || name === undefined) return [name];
      return asObjects(tool.tools).map((one) => `${name}/${asString(one.name) ?? ''}`);
    });
    return conversationOf([instructions, ...inputOf(body).map(readItem)], tools);
  },

  stream(message) {
    const items = responseItems(message);
    const begun = responseOf(message, 'in_progress', []);
    const done = responseOf(
      message,
      message.finish === 'length' ? 'incomplete' : 'completed',
      items.map(({ item }) => item),
    );
    return [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...items.flatMap(({ events }) => events),
      { type: `response.${asString(done.status) ?? ''}`, response: done },
    ].map((event, sequence_number) => sequenced(event, sequence_number));
  },

  whole(message) {
    const items = responseItems(message).map(({ item }) => item);
    return responseOf(message, message.finish === 'length' ? 'incomplete' : 'completed', items);
  },

  streamError(message, sent) {
    const error = { code: 'server_error', message: 'The model failed to generate a response.' };
    const response = { ...responseOf(message, 'failed', []), error };
    return sequenced({ type: 'response.failed', response }, sent);
  },
};

function sequenced(event: JsonObject & { readonly type: string }, sequence_number: number): string {
  return `event: ${event.type}\n${dataEvent({ ...event, sequence_number })}`;
}

function check(body: JsonObject): RefusalReply | undefined {
  if (asString(body.model) === undefined) {
    return refuseRule("Missing required parameter: 'model'.", {
      param: 'model',
      code: 'missing_required_parameter',
    });
  }
  for (const [at, tool] of asObjects(body.tools).entries()) {
    if (tool.type !== 'function') continue;
    const refusal = refuseOpenaiName(asString(tool.name) ?? '', `tools[${at}].name`);
    if (refusal) return refusal;
  }
  return checkItems(inputOf(body));
}

/** Here only the pairs matter, and that a call comes before its output. */
function checkItems(items: readonly JsonObject[]): RefusalReply | undefined {
  const answered = new Map<string, boolean>();
  for (const item of items) {
    const id = asString(item.call_id) ?? '';
    if (item.type === 'function_call') answered.set(id, false);
    if (item.type !== 'function_call_output') continue;
    if (!answered.has(id)) {
      return refuseRule(`No tool call found for function call output with call_id ${id}.`, {
        param: 'input',
      });
    }
    answered.set(id, true);
  }
  const [open] = [...answered].find(([, done]) => !done) ?? [];
  if (open === undefined) return undefined;
  return refuseRule(`No tool output found for function call ${open}.`, { param: 'input' });
}

function inputOf({ input }: JsonObject): readonly JsonObject[] {
  return isArray(input) ? asObjects(input) : [{ role: 'user', content: input }];
}

function readItem(item: JsonObject): RawTurn {
  const id = asString(item.call_id) ?? '';
  const blank = { text: '', toolCalls: [], toolResults: [] };
  if (item.type === 'function_call_output') {
    return {
      ...blank,
      role: 'tool',
      toolResults: [{ id, text: textOf(item.output), isError: false }],
    };
  }
  if (item.type === 'function_call') {
    const call = { id, name: asString(item.name) ?? '', arguments: asString(item.arguments) ?? '' };
    return { ...blank, role: 'assistant', toolCalls: [call] };
  }
  const text = textOf(item.content);
  switch (item.role) {
    case 'system':
    case 'developer':
      return { ...blank, role: 'system', text };
    case 'user':
      return { ...blank, role: 'user', text };
    default:
      // The model's own words, and its reasoning, which comes back without a role.
      return { ...blank, role: 'assistant', text };
  }
}
