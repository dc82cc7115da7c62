import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.js';
import { FakeModel } from './fake-model.js';
import * as fault from './faults.js';
import type { JsonObject } from './json.js';
import { reply, say, toolCall, useTools } from './reply.js';

let model: FakeModel;
beforeEach(async () => {
  model = await FakeModel.start();
});
afterEach(() => model.close());

const VERSION = { 'anthropic-version': '2023-06-01' };
const hello = { role: 'user', content: 'Hello' };
const send = (
  body: JsonObject = {},
  path = 'messages',
  headers: Record<string, string> = VERSION,
) =>
  ask(
    `${model.anthropicUrl}/${path}`,
    { model: 'm', max_tokens: 100, messages: [hello], ...body },
    headers,
  );

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly delta?: { readonly type?: string; readonly partial_json?: string };
  readonly [field: string]: unknown;
}

async function events(): Promise<StreamEvent[]> {
  const answer = await send({ stream: true });
  const seen = answer.events.map(({ data }) => JSON.parse(data) as StreamEvent);
  expect(seen.map(({ type }) => type)).toEqual(answer.events.map(({ event }) => event));
  return seen;
}

describe('the stream', () => {
  it('has the events of a message around those of its blocks', async () => {
    model.script([
      say('Hello there', {
        chunkSize: 6,
        usage: { input: 90, cachedInput: 60, cacheWrite: 20, output: 4 },
      }),
    ]);
    const seen = await events();
    expect(seen.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(seen[0]).toMatchObject({
      message: {
        role: 'assistant',
        content: [],
        stop_reason: null,
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 60,
          cache_creation_input_tokens: 20,
          output_tokens: 1,
        },
      },
    });
    expect(seen.slice(3, 5).map(({ delta }) => delta)).toEqual([
      { type: 'text_delta', text: 'Hello ' },
      { type: 'text_delta', text: 'there' },
    ]);
    expect(seen[6]).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 4 },
    });
  });

  it('has thinking with its signature, text and calls, each as a block of its own', async () => {
    model.script([
      useTools([toolCall('one', { a: 'first' }), toolCall('two')], {
        reasoning: 'Hm',
        text: 'Look',
        chunkSize: 4,
      }),
    ]);
    const seen = await events();
    const starts = seen.filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ content_block: block }) => block)).toMatchObject([
      { type: 'thinking', thinking: '' },
      { type: 'text', text: '' },
      { type: 'tool_use', name: 'one', input: {} },
      { type: 'tool_use', name: 'two', input: {} },
    ]);
    const deltas = seen.filter(({ type }) => type === 'content_block_delta');
    expect(deltas.map(({ index, delta }) => `${String(index)} ${String(delta?.type)}`)).toEqual([
      '0 thinking_delta',
      '0 signature_delta',
      '1 text_delta',
      ...Array<string>(5).fill('2 input_json_delta'),
      '3 input_json_delta',
    ]);
    const json = deltas.filter(({ index }) => index === 2).map(({ delta }) => delta?.partial_json);
    expect(json.join('')).toBe('{"a":"first"}');
    expect(seen.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  it('has no block for an empty answer', async () => {
    model.script([fault.empty()]);
    const types = (await events()).map(({ type }) => type);
    expect(types).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
  });

  it('can fail in its middle with an error event', async () => {
    model.script([fault.streamError({ after: 4, of: say('Never sent whole') })]);
    const seen = await events();
    expect(seen).toHaveLength(5);
    expect(seen[4]).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  });
});

it('answers in one body when no stream was asked for', async () => {
  model.script([useTools([toolCall('one', { a: 1 })], { text: 'Look', reasoning: 'Hm' })]);
  const { json } = await send();
  expect(json).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Look' },
      { type: 'tool_use', name: 'one', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
  });
});

it('counts the tokens of what it would be asked', async () => {
  const short = await send({ max_tokens: null }, 'messages/count_tokens');
  const long = await send({ system: 'Be brief. '.repeat(40) }, 'messages/count_tokens');
  expect(Number(long.json?.input_tokens)).toBeGreaterThan(Number(short.json?.input_tokens) + 90);
  expect(model.requests).toEqual([]);
  expect(model.lookups.map(({ path }) => path)).toEqual(Array(2).fill('/v1/messages/count_tokens'));
});

describe('errors', () => {
  it.each([
    [fault.status(401), 401, 'authentication_error', 'invalid x-api-key'],
    [fault.status(404), 404, 'not_found_error', 'model: m'],
    [fault.status(429), 429, 'rate_limit_error', 'rate limit'],
    [fault.status(500), 500, 'api_error', 'Internal server error'],
    [fault.overloaded(), 529, 'overloaded_error', 'Overloaded'],
    [fault.status(529), 529, 'overloaded_error', 'Overloaded'],
    [fault.contextExceeded(), 400, 'invalid_request_error', 'prompt is too long'],
  ])('have the shape of the real ones: %#', async (refusal, code, type, message) => {
    model.script([refusal]);
    const { status, json, headers } = await send({ stream: true });
    expect(status).toBe(code);
    expect(json).toMatchObject({
      type: 'error',
      error: { type, message: expect.stringContaining(message) as string },
      request_id: headers.get('request-id'),
    });
  });
});

describe('what Anthropic does not take', () => {
  const uses = (...ids: string[]): JsonObject => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
  });
  const results = (...ids: string[]): JsonObject => ({
    role: 'user',
    content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
  });
  const spoken = { role: 'assistant', content: 'Yes' };
  const assistant = (block: JsonObject): JsonObject => ({ role: 'assistant', content: [block] });

  it.each<[string, JsonObject, RegExp]>([
    ['a result without a use', { messages: [results('a')] }, /messages\.0\.content\.0: unexpected/],
    [
      'a use without a result',
      { messages: [hello, uses('a'), hello] },
      /messages\.1: .* after: a\./,
    ],
    ['a use that ends the conversation', { messages: [hello, uses('a')] }, /without `tool_result`/],
    [
      'one result of two',
      { messages: [hello, uses('a', 'b'), results('a')] },
      /immediately after: b\./,
    ],
    [
      'two results of one',
      { messages: [hello, uses('a'), results('a', 'a')] },
      /Found multiple `tool_result` blocks with id: a/,
    ],
    [
      'an id that was used before',
      { messages: [hello, uses('a'), results('a'), uses('a'), results('a')] },
      /ids must be unique/,
    ],
    ['two turns of one role', { messages: [hello, hello] }, /multiple "user" roles in a row/],
    ['an assistant who begins', { messages: [spoken, hello] }, /first message must use/],
    [
      'a system message before anyone spoke',
      { messages: [{ role: 'system', content: 'x' }] },
      /'user' or 'assistant'/,
    ],
    ['a tool with a dot in its name', { tools: [{ name: 'web.fetch' }] }, /tools\.0\.custom\.name/],
    ['a tool with a name of 65 letters', { tools: [{ name: 'x'.repeat(65) }] }, /should match/],
    ['two tools of one name', { tools: [{ name: 'f' }, { name: 'f' }] }, /must be unique/],
    [
      'empty text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      /must be non-empty/,
    ],
    [
      'arguments that are no object',
      {
        messages: [
          hello,
          assistant({ type: 'tool_use', id: 'a', name: 'f', input: '{' }),
          results('a'),
        ],
      },
      /should be a valid dictionary/,
    ],
    [
      'thoughts that it did not have',
      { messages: [hello, assistant({ type: 'thinking', thinking: 'Hm', signature: 'x' }), hello] },
      /Invalid `signature`/,
    ],
    ['no limit for the answer', { max_tokens: null }, /max_tokens: Field required/],
  ])('%s', async (_, body, why) => {
    model.script(['never sent']);
    const { status, json } = await send(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(model.requests[0]?.refusal).toMatch(why);
  });

  it('a system message after its own words, though it takes one after those of the user', async () => {
    model.script(['Good']);
    const system = { role: 'system', content: 'From now on in French.' };
    expect((await send({ messages: [hello, spoken, system, hello] })).status).toBe(400);
    expect((await send({ messages: [hello, system, spoken, hello, system] })).status).toBe(200);
    expect(model.requests[1]?.system).toMatch(/French/);
  });

  it('a client that does not say its version', async () => {
    model.script(['never sent']);
    expect((await send({}, 'messages', {})).status).toBe(400);
  });

  it('but it takes its own thoughts and every call with its result', async () => {
    model.script([reply({ reasoning: 'Hm', toolCalls: [toolCall('f')] }), 'Good']);
    const first = await send();
    const content = first.json?.content;
    const [, use] = content as unknown as readonly [unknown, { readonly id: string }];
    const messages = [hello, { role: 'assistant', content: content ?? null }, results(use.id)];
    expect((await send({ messages })).status).toBe(200);
    model.assertPlayed();
  });
});
