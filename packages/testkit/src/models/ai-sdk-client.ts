import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import type { FakeModel } from './fake-model.js';

export const KEY = 'sk-of-the-test';

/** The clients that agents are built on, for each wire that they speak. */
export const CLIENTS: Readonly<Record<string, (model: FakeModel) => LanguageModel>> = {
  'an OpenAI-compatible client': (model) =>
    createOpenAICompatible({
      name: 'fake',
      baseURL: model.openaiUrl,
      apiKey: KEY,
      includeUsage: true,
    })('fake-model'),
  'an Anthropic client': (model) =>
    createAnthropic({ baseURL: model.anthropicUrl, apiKey: KEY })('fake-model'),
};

export interface ListenOptions {
  readonly signal?: AbortSignal;
  readonly maxRetries?: number;
}

/** What a client makes of a streamed answer, while it comes. */
export function listen(client: LanguageModel, options: ListenOptions = {}) {
  const ran: string[] = [];
  const errors: unknown[] = [];
  const read = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => {
      ran.push(path);
      return `contents of ${path}`;
    },
  });
  const result = streamText({
    model: client,
    system: 'Be brief.',
    prompt: 'What is in these files?',
    tools: { read_file: read },
    stopWhen: stepCountIs(5),
    maxOutputTokens: 1000,
    maxRetries: options.maxRetries ?? 0,
    ...(options.signal ? { abortSignal: options.signal } : {}),
    onError: () => undefined,
  });
  const texts: string[] = [];
  const reasoning: string[] = [];
  const callErrors: unknown[] = [];
  const follow = async (): Promise<void> => {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') texts.push(part.text);
      if (part.type === 'reasoning-delta') reasoning.push(part.text);
      if (part.type === 'tool-call' && part.invalid === true) callErrors.push(part.error);
      if (part.type === 'error') errors.push(part.error);
    }
  };
  // What breaks the connection is thrown, what the provider says is a part of the stream.
  const over = follow().catch((error: unknown) => {
    errors.push(error);
  });
  return { ran, errors, texts, reasoning, callErrors, result, over };
}
