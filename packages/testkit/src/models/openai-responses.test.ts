import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from './ask.js';
import { FakeModel } from './fake-model.js';
import * as fault from './faults.js';
import { asString, type Json, type JsonObject } from './json.js';
import { say, toolCall, useTools } from './reply.js';

let model: FakeModel;
beforeEach(async () => {
  model = await FakeModel.start();
});
afterEach(() => model.close());

const send = (input: Json, body: JsonObject = {}) =>
  ask(`${model.openaiUrl}/responses`, { model: 'm', input, stream: true, ...body });

async function events(input: Json): Promise<JsonObject[]> {
  const answer = await send(input);
  const seen = answer.events.map(({ data }) => JSON.parse(data) as JsonObject);
  expect(seen.map(({ type }) => type)).toEqual(answer.events.map(({ event }) => event));
  expect(seen.map(({ sequence_number: number }) => number)).toEqual(seen.map((_, at) => at));
  return seen;
}

const joined = (seen: readonly JsonObject[], type: string): string =>
  seen
    .filter((event) => event.type === type)
    .map(({ delta }) => asString(delta))
    .join('');

it('streams reasoning, text and calls as items, and ends with the whole response', async () => {
  model.script([
    useTools([toolCall('look', { at: 'it' }, 'call_1')], {
      text: 'I look.',
      reasoning: 'Hm',
      usage: { input: 100, cachedInput: 60, output: 9, reasoning: 2 },
      chunkSize: 4,
    }),
  ]);
  const seen = await events('What is it?');
  expect(seen[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress' } });
  expect(joined(seen, 'response.reasoning_summary_text.delta')).toBe('Hm');
  expect(joined(seen, 'response.output_text.delta')).toBe('I look.');
  expect(joined(seen, 'response.function_call_arguments.delta')).toBe('{"at":"it"}');
  expect(seen.at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      status: 'completed',
      output: [
        { type: 'reasoning', summary: [{ text: 'Hm' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"it"}' },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 109,
      },
    },
  });
  expect(model.requests[0]?.lastUserText).toBe('What is it?');
});

it('answers in one body when no stream was asked for', async () => {
  model.script([say('Yes.', { finish: 'length' })]);
  const { json } = await send('Is it?', { stream: false });
  expect(json).toMatchObject({
    object: 'response',
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'message', content: [{ text: 'Yes.' }] }],
  });
});

it('fails within a stream as a response that failed', async () => {
  model.script([fault.streamError({ after: 3, of: say('Never sent whole') })]);
  expect((await events('Go')).at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_error' } },
  });
});

describe('the items of a request', () => {
  const asked = { role: 'user', content: [{ type: 'input_text', text: 'Go' }] };
  const called = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'a', output: 'seen' };

  it('are read as a conversation', async () => {
    model.script(['Good']);
    await send([asked, called, output], { instructions: 'Be brief.' });
    expect(model.requests[0]).toMatchObject({
      system: 'Be brief.',
      lastUserText: 'Go',
      toolResults: [{ id: 'a', name: 'look', text: 'seen' }],
    });
  });

  it.each([
    ['an output without its call', [asked, output], 'No tool call found for function call output'],
    ['a call without its output', [asked, called], 'No tool output found for function call a.'],
  ])('are refused with %s', async (_, input, why) => {
    model.script(['never sent']);
    const { status, json } = await send(input);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { message: expect.stringContaining(why) as string, param: 'input' },
    });
  });
});
