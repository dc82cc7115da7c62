import { APICallError, generateText, InvalidToolInputError, NoSuchToolError } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../time/until.js';
import { CLIENTS, KEY, type ListenOptions, listen } from './ai-sdk-client.js';
import { FakeModel } from './fake-model.js';
import * as fault from './faults.js';
import { gate } from './gate.js';
import { say, toolCall, useTools } from './reply.js';
import { always } from './script.js';

describe.each(Object.entries(CLIENTS))('%s', (_, clientOf) => {
  let model: FakeModel;
  beforeEach(async () => {
    model = await FakeModel.start({ key: KEY });
  });
  afterEach(() => model.close());

  async function listenTo(options: ListenOptions = {}) {
    const answer = listen(clientOf(model), options);
    await answer.over;
    return answer;
  }

  it.each([
    ['half of it', fault.reset({ after: 1 })],
    ['none of it', fault.reset()],
    ['garbage', fault.garbage({ as: 'sse' })],
    ['a body cut off', fault.cutOff({ after: 1 })],
  ])('notices when it gets %s, without a stream', async (_, broken) => {
    model.script([broken]);
    const options = { prompt: 'Hi', maxRetries: 0, maxOutputTokens: 99 };
    await expect(generateText({ model: clientOf(model), ...options })).rejects.toThrow();
    expect(model.requests[0]?.outcome).toBe('broken');
  });

  it('R-11 comes back after 429, 500 and an overload', async () => {
    const soon = { retryAfterMs: 1 };
    model.script([
      fault.status(429, soon),
      fault.status(500, soon),
      fault.overloaded(soon),
      'At last.',
    ]);
    const { texts } = await listenTo({ maxRetries: 3 });
    expect(texts.join('')).toBe('At last.');
    expect(model.requests.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(3).fill('refused'),
      'answered',
    ]);
  });

  it.each([
    [fault.status(401), 401, false],
    [fault.status(404), 404, false],
    [fault.contextExceeded(), 400, false],
    [fault.status(429, { retryAfter: 7 }), 429, true],
    [fault.status(500), 500, true],
  ])('understands a refusal: %#', async (refusal, statusCode, isRetryable) => {
    model.script([refusal]);
    const { errors } = await listenTo();
    const [error] = errors;
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode, isRetryable, message: model.requests[0]?.refusal });
    if (statusCode === 429) {
      expect(error).toMatchObject({ responseHeaders: { 'retry-after': '7' } });
    }
  });

  it('is refused with another key', async () => {
    await model.close();
    model = await FakeModel.start({ key: 'another' });
    model.script(['never sent']);
    const { errors } = await listenTo();
    expect(errors[0]).toMatchObject({ statusCode: 401 });
  });

  it('is refused with a prompt that is longer than the context', async () => {
    await model.close();
    model = await FakeModel.start({ contextTokens: 20 });
    model.script(['never sent']);
    const { errors } = await listenTo();
    expect(errors[0]).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/too long|context/) as string,
    });
  });

  it('R-11 notices a connection that is reset before any answer', async () => {
    model.script([fault.reset()]);
    const { errors } = await listenTo();
    expect(errors[0]).toMatchObject({ isRetryable: true, cause: { code: 'ECONNRESET' } });
    expect(model.requests[0]?.outcome).toBe('broken');
  });

  it('R-11 notices a connection that is reset after some chunks', async () => {
    const held = gate();
    const whole = say('abcdefghij', { chunkSize: 1 });
    model.script([fault.reset({ after: 5, of: fault.slow(held, whole) })]);
    const answer = listen(clientOf(model));
    held.release(5);
    await until('the client has received a part', () => answer.texts.join('').startsWith('ab'));
    held.open();
    await answer.over;
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0]).toMatchObject({ isRetryable: true });
    expect(answer.texts.length).toBeLessThan(5);
    expect(model.requests[0]).toMatchObject({ outcome: 'broken', chunksSent: 5 });
  });

  const finishOf = ({ result }: ReturnType<typeof listen>) =>
    Promise.resolve(result.finishReason).catch(() => 'error');

  it.each(['json', 'sse'] as const)('R-11 notices garbage in place of %s', async (as) => {
    model.script([fault.garbage({ as, after: 4, of: say('abcdefghij', { chunkSize: 1 }) })]);
    expect(await finishOf(await listenTo())).not.toBe('stop');
    expect(model.requests[0]?.outcome).toBe('broken');
  });

  it('notices a stream that ends before the answer has', async () => {
    model.script([fault.cutOff({ after: 4, of: say('abcdefghij', { chunkSize: 1 }) })]);
    expect(await finishOf(await listenTo())).not.toBe('stop');
  });

  it('notices an error within the stream', async () => {
    model.script([fault.streamError({ after: 5, of: say('abcdefghij', { chunkSize: 1 }) })]);
    const { errors } = await listenTo();
    expect(errors).toHaveLength(1);
  });

  it('R-11 tells arguments that are not JSON from a tool that does not exist', async () => {
    model.script([fault.malformedArguments('read_file'), 'I see.']);
    const malformed = await listenTo();
    expect(InvalidToolInputError.isInstance(malformed.callErrors[0])).toBe(true);
    model.script([useTools([toolCall('no_such_tool', { a: 1 })]), 'I see.']);
    const unknown = await listenTo();
    expect(NoSuchToolError.isInstance(unknown.callErrors[0])).toBe(true);
    expect([...malformed.ran, ...unknown.ran]).toEqual([]);
    expect(model.requests.map(({ outcome }) => outcome)).toEqual(Array(4).fill('answered'));
  });

  it('R-11 gets an empty answer', async () => {
    model.script([fault.empty()]);
    const { texts, result } = await listenTo();
    expect(texts).toEqual([]);
    expect(await result.finishReason).toBe('stop');
  });

  it('R-11 can be led into a loop of calls', async () => {
    model.script([always(useTools([toolCall('read_file', { path: 'again' })]))]);
    const { ran } = await listenTo();
    expect(ran).toHaveLength(5);
    const calls = model.requests.at(-1)?.conversation.turns.flatMap(({ toolCalls }) => toolCalls);
    expect(new Set(calls?.map(({ id }) => id)).size).toBe(4);
  });

  it('R-4 can leave in the middle of an answer, and the server knows', async () => {
    const held = gate();
    model.script([fault.slow(held, say('abcdefghij', { chunkSize: 1 }))]);
    const leave = new AbortController();
    const answer = listenTo({ signal: leave.signal });
    await held.reached(1);
    expect(model.requests[0]).toMatchObject({ outcome: 'pending', chunksSent: 0 });
    held.release(5);
    await held.reached(6);
    expect(model.requests[0]?.chunksSent).toBe(5);
    leave.abort();
    await answer;
    await until('the server has noticed', () => model.requests[0]?.outcome === 'abandoned');
    expect(model.requests[0]?.chunksSent).toBe(5);
  });

  it('can leave a server that never answers', async () => {
    model.script([fault.hang(), fault.hang({ after: 4, of: say('abcdefghij', { chunkSize: 1 }) })]);
    for (const index of [0, 1]) {
      const leave = new AbortController();
      const answer = listenTo({ signal: leave.signal });
      await model.received(index);
      leave.abort();
      await answer;
      await until('the server has noticed', () => model.requests[index]?.outcome === 'abandoned');
    }
  });
});
