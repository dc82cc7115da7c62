import { fragments } from './fragments.js';
import type { JsonObject } from './json.js';
import type { IssuedMessage } from './wire.js';

type ResponseEvent = JsonObject & { readonly type: string };

/** One thing the model put out: as it ends up in the response, and the events that build it. */
export interface ResponseItem {
  readonly item: JsonObject;
  readonly events: readonly ResponseEvent[];
}

export function responseItems(message: IssuedMessage): ResponseItem[] {
  const makers = [
    ...(message.reasoning === '' ? [] : [reasoningItem]),
    ...(message.text === '' ? [] : [textItem]),
    ...message.calls.map((_, nth) => callItem(nth)),
  ];
  return makers.map((make, output_index) => make(message, output_index));
}

export function responseOf(
  { id, created, model, usage }: IssuedMessage,
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed',
  output: readonly JsonObject[],
): JsonObject {
  const isOver = status === 'completed' || status === 'incomplete';
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    model,
    output,
    parallel_tool_calls: true,
    usage: isOver
      ? {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cachedInput },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: usage.reasoning },
          total_tokens: usage.input + usage.output,
        }
      : null,
  };
}

function reasoningItem(
  { id, reasoning, chunkSize }: IssuedMessage,
  output_index: number,
): ResponseItem {
  const item_id = `rs_${id}`;
  const at = { item_id, output_index, summary_index: 0 };
  const part = { type: 'summary_text', text: reasoning };
  const item = { id: item_id, type: 'reasoning', summary: [part] };
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...fragments(reasoning, chunkSize).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...at,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', ...at, text: reasoning },
      { type: 'response.reasoning_summary_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function textItem({ id, text, chunkSize }: IssuedMessage, output_index: number): ResponseItem {
  const item_id = `msg_${id}`;
  const at = { item_id, output_index, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = {
    id: item_id,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [part],
  };
  return {
    item,
    events: [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...fragments(text, chunkSize).map((delta) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: [],
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function callItem(nth: number) {
  return ({ calls, chunkSize }: IssuedMessage, output_index: number): ResponseItem => {
    const { id: call_id = '', name: called = '', arguments: args = '' } = calls[nth] ?? {};
    // A tool of a namespace is called `namespace/tool` here.
    const [name = '', namespace] = called.split('/').reverse();
    const item_id = `fc_${call_id}`;
    const item = {
      id: item_id,
      type: 'function_call',
      status: 'completed',
      call_id,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: args,
    };
    return {
      item,
      events: [
        {
          type: 'response.output_item.added',
          output_index,
          item: { ...item, status: 'in_progress', arguments: '' },
        },
        ...fragments(args, chunkSize).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          item_id,
          output_index,
          delta,
        })),
        {
          type: 'response.function_call_arguments.done',
          item_id,
          output_index,
          name,
          arguments: args,
        },
        { type: 'response.output_item.done', output_index, item },
      ],
    };
  };
}
