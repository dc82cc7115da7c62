import { generateText } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, KEY, listen } from './ai-sdk-client.js';
import { FakeModel } from './fake-model.js';
import { reply, say, toolCall, useTools } from './reply.js';

describe.each(Object.entries(CLIENTS))('%s', (_, clientOf) => {
  let model: FakeModel;
  beforeEach(async () => {
    model = await FakeModel.start({ key: KEY });
  });
  afterEach(() => model.close());

  async function listenTo() {
    const answer = listen(clientOf(model));
    await answer.over;
    return answer;
  }

  it('receives streamed text in chunks, and the model receives the prompt', async () => {
    model.script([say('Two files, 👋 and both are short.', { chunkSize: 7 })]);
    const { texts, errors, result } = await listenTo();
    expect(errors).toEqual([]);
    expect(texts).toHaveLength(5);
    expect(texts.join('')).toBe('Two files, 👋 and both are short.');
    expect(await result.finishReason).toBe('stop');
    const [request] = model.requests;
    expect(request).toMatchObject({
      outcome: 'answered',
      key: KEY,
      model: 'fake-model',
      stream: true,
      system: 'Be brief.',
      lastUserText: 'What is in these files?',
      tools: ['read_file'],
      toolResults: [],
    });
    model.assertPlayed();
  });

  it('R-9 R-10 executes parallel calls once each and returns their results in order', async () => {
    model.script([
      useTools(
        [
          toolCall('read_file', { path: 'first.txt' }),
          toolCall('read_file', { path: 'second.txt' }),
        ],
        { text: 'I look.', chunkSize: 3 },
      ),
      'Both are fine.',
    ]);
    const { ran, texts, errors, result } = await listenTo();
    expect(errors).toEqual([]);
    expect(ran).toEqual(['first.txt', 'second.txt']);
    expect(texts.join('')).toBe('I look.Both are fine.');
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual([
      'tool-calls',
      'stop',
    ]);
    const results = model.requests[1]?.toolResults ?? [];
    expect(results.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'read_file: contents of first.txt',
      'read_file: contents of second.txt',
    ]);
    model.assertPlayed();
  });

  it('R-16 counts the tokens that the server reported, cached ones too', async () => {
    model.script([
      useTools([toolCall('read_file', { path: 'a' })], {
        usage: { input: 1000, cachedInput: 800, output: 20 },
      }),
      say('Done.', { usage: { input: 1100, cachedInput: 1000, output: 5 } }),
    ]);
    const { result } = await listenTo();
    expect(await result.totalUsage).toMatchObject({
      inputTokens: 2100,
      inputTokenDetails: { noCacheTokens: 300, cacheReadTokens: 1800 },
      outputTokens: 25,
      totalTokens: 2125,
    });
  });

  it('receives reasoning, and returns it in a form that the server accepts', async () => {
    model.script([
      reply({ reasoning: 'Better look.', toolCalls: [toolCall('read_file', { path: 'a' })] }),
      'Done.',
    ]);
    const { reasoning, errors } = await listenTo();
    expect(reasoning.join('')).toBe('Better look.');
    expect(errors).toEqual([]);
    model.assertPlayed();
  });

  it('gets the same without a stream', async () => {
    model.script([
      reply({
        text: 'Hello.',
        reasoning: 'Be polite.',
        usage: { input: 50, cachedInput: 40, output: 9 },
      }),
    ]);
    const result = await generateText({
      model: clientOf(model),
      prompt: 'Hi',
      maxRetries: 0,
      maxOutputTokens: 99,
    });
    expect(result).toMatchObject({
      text: 'Hello.',
      reasoningText: 'Be polite.',
      finishReason: 'stop',
    });
    expect(result.usage).toMatchObject({
      inputTokens: 50,
      inputTokenDetails: { cacheReadTokens: 40 },
      outputTokens: 9,
    });
  });
});
