import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Clock, Timers } from '@stoa/core';
import { AnswerCollector } from './collect-answer.js';
import { failureOf } from './failure-of.js';
import type { ModelAnswer, ModelClient, ModelListener, ModelRequest } from './model-client.js';
import { ModelFailure } from './model-failure.js';
import { toPrompt, toTools } from './to-prompt.js';

export interface ClientOptions {
  readonly provider: string;
  readonly model: string;
  readonly kind: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** A server that sends nothing for this long is given up. */
  readonly silenceMs: number;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly scrub: (text: string) => string;
}

/**
 * A model behind the AI SDK. It is used one level below its agent functions: one request, one stream,
 * no retries and no tools of its own, so that every step is journaled before the next begins.
 */
export class AiSdkClient implements ModelClient {
  readonly #model: LanguageModelV3;

  constructor(private readonly options: ClientOptions) {
    this.#model = languageModel(options);
  }

  get provider(): string {
    return this.options.provider;
  }

  get model(): string {
    return this.options.model;
  }

  async ask(
    request: ModelRequest,
    listener: ModelListener,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const silence = new Silence(this.options.timers, this.options.silenceMs);
    try {
      return await this.#ask(request, listener, signal, silence);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ListenerFailed) throw error.reason;
      if (error instanceof ModelFailure) throw error;
      throw this.#failure(silence.signal.aborted ? silence.signal.reason : error);
    } finally {
      silence.end();
    }
  }

  async #ask(
    request: ModelRequest,
    listener: ModelListener,
    signal: AbortSignal,
    silence: Silence,
  ): Promise<ModelAnswer> {
    const { maxOutputTokens } = request;
    const { stream } = await this.#model.doStream({
      prompt: toPrompt(request, this.provider),
      ...(request.tools.length > 0
        ? { tools: toTools(request), toolChoice: { type: 'auto' } }
        : {}),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      abortSignal: AbortSignal.any([signal, silence.signal]),
    });
    const answer = new AnswerCollector();
    const tools = new Map<string, string>();
    let hasBegun = false;
    for await (const part of stream) {
      silence.broken();
      if (part.type === 'error') throw this.#failure(part.error);
      if (!hasBegun && part.type !== 'stream-start') {
        hasBegun = true;
        await toListener(() => listener.begun());
      }
      listener.heard?.();
      if (part.type === 'text-delta') listener.text(part.delta);
      if (part.type === 'tool-input-start') tools.set(part.id, part.toolName);
      if (part.type === 'tool-input-delta')
        listener.callInput?.(part.id, tools.get(part.id) ?? '', part.delta);
      answer.add(part);
    }
    const whole = answer.answer();
    if (!whole) throw this.#failure(new Error('the answer ended before it was finished'));
    return whole;
  }

  #failure(error: unknown): ModelFailure {
    const { clock, scrub } = this.options;
    return failureOf(error, `${this.provider}/${this.model}`, () => clock.now(), scrub);
  }
}

/** What the listener throws is not the provider's fault. */
class ListenerFailed extends Error {
  constructor(readonly reason: unknown) {
    super('the listener failed');
  }
}

async function toListener(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    throw new ListenerFailed(error);
  }
}

/** Aborts when nothing was heard for too long. */
class Silence {
  readonly #abort = new AbortController();
  #callOff: () => void = () => undefined;

  constructor(
    private readonly timers: Timers,
    private readonly ms: number,
  ) {
    this.broken();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  broken(): void {
    this.#callOff();
    this.#callOff = this.timers.after(this.ms, () => {
      this.#abort.abort(new Error(`nothing was heard for ${String(this.ms / 1_000)} s`));
    });
  }

  end(): void {
    this.#callOff();
  }
}

function languageModel(options: ClientOptions): LanguageModelV3 {
  const { provider, model, kind, baseUrl, apiKey } = options;
  if (kind === 'anthropic') {
    // Without a key the SDK would look for one in the environment.
    return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? 'none' })(model);
  }
  return createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })(model);
}
