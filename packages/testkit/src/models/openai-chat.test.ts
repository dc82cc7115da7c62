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

const hello = { role: 'user', content: 'Hello' };
const chat = (body: JsonObject = {}, headers: Record<string, string> = {}) =>
  ask(`${model.openaiUrl}/chat/completions`, { model: 'm', messages: [hello], ...body }, headers);

interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly usage?: JsonObject | null;
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function: { readonly name?: string; readonly arguments: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
}

async function chunks(body: JsonObject = {}): Promise<Chunk[]> {
  const { events } = await chat({ stream: true, ...body });
  expect(events.at(-1)?.data).toBe('[DONE]');
  return events.slice(0, -1).map(({ data }) => JSON.parse(data) as Chunk);
}

describe('the stream', () => {
  it('begins with the role, goes on with the content and ends with the reason', async () => {
    model.script([say('Grüße 👋 an alle', { chunkSize: 3 })]);
    const seen = await chunks();
    expect(seen[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
    const deltas = seen.slice(1, -1).map(({ choices }) => choices[0]?.delta.content);
    expect(deltas).toEqual(['Grü', 'ße ', '👋 a', 'n a', 'lle']);
    expect(seen.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(new Set(seen.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
    expect(seen.every(({ usage }) => usage === undefined)).toBe(true);
  });

  it('ends with the usage in a chunk without choices, when that was asked for', async () => {
    model.script([say('Hi', { usage: { input: 100, cachedInput: 64, output: 7, reasoning: 3 } })]);
    const seen = await chunks({ stream_options: { include_usage: true } });
    expect(seen.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(seen.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        total_tokens: 107,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    });
  });

  it('mixes the fragments of parallel calls, with the id only in the first of each', async () => {
    model.script([
      useTools([toolCall('one', { a: 'first' }), toolCall('two', { b: 'second' })], {
        chunkSize: 4,
      }),
    ]);
    const seen = await chunks();
    const calls = seen.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls.slice(0, 4).map(({ index }) => index)).toEqual([0, 1, 0, 1]);
    for (const [index, name, args] of [
      [0, 'one', '{"a":"first"}'],
      [1, 'two', '{"b":"second"}'],
    ] as const) {
      const mine = calls.filter((call) => call.index === index);
      expect(mine.map(({ id }) => id !== undefined)).toEqual(mine.map((_, at) => at === 0));
      expect(mine[0]?.function).toEqual({ name, arguments: '' });
      expect(mine.map((call) => call.function.arguments).join('')).toBe(args);
    }
    expect(calls[0]?.id).not.toBe(calls[1]?.id);
    expect(seen.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('sends reasoning before the text', async () => {
    model.script([reply({ text: 'Yes', reasoning: 'Think first', chunkSize: 100 })]);
    const deltas = (await chunks()).map(({ choices }) => choices[0]?.delta);
    expect(deltas[1]).toEqual({ reasoning_content: 'Think first' });
    expect(deltas[2]).toEqual({ content: 'Yes' });
  });

  it('is empty but finished for an empty answer', async () => {
    model.script([fault.empty()]);
    const seen = await chunks();
    expect(seen.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, 'stop']);
  });

  it('can fail in its middle with an error in place of a chunk', async () => {
    model.script([fault.streamError({ after: 2, of: say('Never sent whole') })]);
    const { status, events } = await chat({ stream: true });
    expect(status).toBe(200);
    expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({ error: { type: 'server_error' } });
    expect(events).toHaveLength(3);
  });
});

it('answers in one body when no stream was asked for', async () => {
  model.script([
    useTools([toolCall('one', { a: 1 }, 'call_given')], {
      text: 'Look',
      usage: { input: 5, output: 6 },
    }),
  ]);
  const { status, json } = await chat();
  expect(status).toBe(200);
  expect(json).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'Look',
          tool_calls: [
            { id: 'call_given', type: 'function', function: { name: 'one', arguments: '{"a":1}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
  });
});

describe('errors', () => {
  it.each([
    [fault.status(401), 401, 'invalid_request_error', 'invalid_api_key'],
    [fault.status(404), 404, 'invalid_request_error', 'model_not_found'],
    [fault.status(429), 429, 'tokens', 'rate_limit_exceeded'],
    [fault.quotaExceeded(), 429, 'insufficient_quota', 'insufficient_quota'],
    [fault.status(500), 500, 'server_error', null],
    [fault.overloaded(), 503, 'server_error', null],
    [fault.contextExceeded(), 400, 'invalid_request_error', 'context_length_exceeded'],
  ])('have the shape of the real ones: %#', async (refusal, code, type, name) => {
    model.script([refusal]);
    const { status, json } = await chat({ stream: true });
    expect(status).toBe(code);
    expect(json).toMatchObject({ error: { type, code: name } });
    expect(model.requests[0]?.outcome).toBe('refused');
  });

  it('say when to come back', async () => {
    model.script([fault.status(429, { retryAfter: 20, retryAfterMs: 19_500 })]);
    const { headers } = await chat();
    expect(headers.get('retry-after')).toBe('20');
    expect(headers.get('retry-after-ms')).toBe('19500');
  });
});

describe('what OpenAI does not take', () => {
  const calls = (...ids: string[]): JsonObject => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    })),
  });
  const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'done' });
  const offer = (name: string): JsonObject => ({
    type: 'function',
    function: { name, parameters: {} },
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      'a result without a call',
      { messages: [hello, result('a')] },
      /must be a response to a preceeding/,
    ],
    [
      'a result of another call',
      { messages: [hello, calls('a'), result('b')] },
      /'tool_call_id' of 'b' not found/,
    ],
    [
      'a second result of one call',
      { messages: [hello, calls('a'), result('a'), result('a')] },
      /Duplicate value for 'tool_call_id' of 'a', in messages\[2\] and messages\[3\]/,
    ],
    [
      'a call that nobody answered before the next turn',
      { messages: [hello, calls('a', 'b'), result('a'), hello] },
      /did not have response messages: b/,
    ],
    ['a call that nobody answered at the end', { messages: [hello, calls('a')] }, /messages: a$/],
    [
      'a tool with a dot in its name',
      { tools: [offer('web.fetch')] },
      /tools\[0\]\.function\.name/,
    ],
    ['a tool with a name of 65 letters', { tools: [offer('x'.repeat(65))] }, /string too long/],
    ['no messages', { messages: [] }, /empty array/],
    ['an unknown role', { messages: [{ role: 'human', content: 'x' }] }, /Invalid value: 'human'/],
    ['a user without content', { messages: [{ role: 'user', content: null }] }, /got null/],
    [
      'stream options without a stream',
      { stream_options: { include_usage: true } },
      /only allowed/,
    ],
  ])('%s', async (_, body, why) => {
    model.script(['never sent']);
    const { status, json } = await chat(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(model.requests[0]?.refusal).toMatch(why);
    expect(() => {
      model.assertPlayed();
    }).toThrow(/breaks a rule of openai_chat/);
  });

  it('but it takes a conversation in which every call is answered', async () => {
    model.script(['Good']);
    const messages = [hello, calls('a', 'b'), result('b'), result('a'), hello];
    expect((await chat({ messages, tools: [offer('f')] })).status).toBe(200);
    model.assertPlayed();
  });
});
