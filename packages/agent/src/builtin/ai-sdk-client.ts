import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Clock, Timers } from '@stoa/core';
import { AnswerCollector } from './collect-answer.js';
import type { ModelAnswer, ModelClient, ModelListener, ModelRequest } from './model-client.js';
import { ModelFailure } from './model-failure.js';
import { providerFailure } from './provider-failure.js';
import { toPrompt, toTools } from './to-prompt.js';

export interface ClientOptions {
  readonly provider: string;
  readonly model: string;
  readonly kind: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** How long a server may send nothing. */
  readonly silenceMs: number;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly scrub: (text: string) => string;
}

/**
 * A model of the AI SDK. It uses the level below the SDK's agents: one request and one stream, without retries and tools of
 * the SDK, so that every step is journaled before the next begins.
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
      if (error instanceof ListenerError) throw error.reason;
      if (error instanceof ModelFailure) throw error;
      throw this.#failure(silence.signal.aborted ? silence.signal.reason : error);
    } finally {
      silence.stop();
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
      silence.restart();
      if (part.type === 'error') throw this.#failure(part.error);
      if (!hasBegun && part.type !== 'stream-start') {
        hasBegun = true;
        await toListener(() => listener.begun());
      }
      listener.received?.();
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
    return providerFailure(error, `${this.provider}/${this.model}`, () => clock.now(), scrub);
  }
}

/** Wraps errors of the listener, which are no failures of the provider. */
class ListenerError extends Error {
  constructor(readonly reason: unknown) {
    super('the listener failed');
  }
}

async function toListener(notify: () => Promise<void>): Promise<void> {
  try {
    await notify();
  } catch (error) {
    throw new ListenerError(error);
  }
}

/** Aborts if the server sends nothing for too long. */
class Silence {
  readonly #abort = new AbortController();
  #cancel: () => void = () => undefined;

  constructor(
    private readonly timers: Timers,
    private readonly ms: number,
  ) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(): void {
    this.#cancel();
    this.#cancel = this.timers.after(this.ms, () => {
      this.#abort.abort(new Error(`nothing was received for ${String(this.ms / 1_000)} s`));
    });
  }

  stop(): void {
    this.#cancel();
  }
}

function languageModel(options: ClientOptions): LanguageModelV3 {
  const { provider, model, kind, baseUrl, apiKey } = options;
  if (kind === 'anthropic') {
    // Without a key the SDK would read one from the environment.
    return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? 'none' })(model);
  }
  return createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })(model);
}
