import type { Clock, Timers } from '@stoa/core';
import {
  BUILTIN_DRIVER,
  type DriverConfig,
  type ModelsConfig,
  type Price,
  type ProviderConfig,
} from '@stoa/protocol';
import type { ClientOptions } from './ai-sdk-client.js';
import type { ModelClient } from './model-client.js';
import { ModelFailure } from './model-failure.js';
import { scrubber } from './scrub.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The model of a run, with its limits and price. */
export interface ChosenModel {
  readonly client: ModelClient;
  readonly contextTokens: number;
  readonly maxOutputTokens: number | undefined;
  readonly price: Price | undefined;
  readonly takesImages: boolean;
}

/** The model settings of an agent. */
export interface ModelSelection {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly contextTokens?: number | undefined;
}

/** The model settings in the configuration of a builtin driver; empty for other drivers. */
export const modelSelection = (
  driver: DriverConfig,
): ModelSelection & { readonly maxSteps?: number | undefined } =>
  driver.kind === BUILTIN_DRIVER.kind ? driver : {};

export interface ModelsPorts {
  readonly timers: Timers;
  readonly clock: Clock;
}

interface Provider extends Omit<ProviderConfig, 'apiKey' | 'apiKeyEnv'> {
  readonly apiKey: string | undefined;
  /** The variable for the key, if it is not set. */
  readonly missingKey: string | undefined;
}

const DEFAULTS = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    contextTokens: 128_000,
    maxOutputTokens: undefined,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    contextTokens: 200_000,
    maxOutputTokens: 16_384,
  },
} as const;

export const SILENCE_MS = 300_000;

const WHAT_TO_SET =
  'Set `model: provider/model` and `providers` in stoa.yaml, or in the environment OPENAI_API_KEY and ' +
  'OPENAI_MODEL (with OPENAI_BASE_URL for another server that speaks its protocol), or ' +
  'ANTHROPIC_API_KEY and ANTHROPIC_MODEL; then start the daemon again.';

const NO_MODEL = `No model is configured. ${WHAT_TO_SET}`;

/** The configured models. Only the clients get the keys. */
export class Models {
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #default: { readonly provider: string; readonly model: string } | undefined;
  readonly #clients = new Map<string, ModelClient>();
  /** Removes the keys from a text. */
  readonly scrub: (text: string) => string;

  constructor(
    private readonly config: ModelsConfig,
    environment: Environment,
    private readonly ports: ModelsPorts,
  ) {
    this.#providers = providersOf(config, environment);
    this.#default = this.#defaultOf(environment);
    this.scrub = scrubber([...this.#providers.values()].flatMap(({ apiKey }) => apiKey ?? []));
  }

  /** Throws a ModelFailure that names what to set, or the configured providers. */
  choose(selection: ModelSelection): ChosenModel {
    const named = this.#named(selection);
    const provider = this.#providers.get(named.provider);
    if (!provider) {
      const known = [...this.#providers.keys()].join(', ');
      throw new ModelFailure(
        'unknown_model',
        known === ''
          ? `There is no provider ${named.provider}: none is configured. ${WHAT_TO_SET}`
          : `There is no provider ${named.provider}; there are: ${known}. Name one of them as driver.provider: stoa agent put AGENT FILE`,
      );
    }
    if (provider.missingKey !== undefined) {
      throw new ModelFailure(
        'no_model',
        `Provider ${named.provider} has no key: the environment variable ${provider.missingKey} is not set. Set it and start the daemon again: ${provider.missingKey}=KEY stoa serve`,
      );
    }
    const defaults = DEFAULTS[provider.kind];
    const known = provider.models?.[named.model];
    return {
      client: this.#client(named.provider, provider, named.model),
      contextTokens: selection.contextTokens ?? known?.contextTokens ?? defaults.contextTokens,
      maxOutputTokens:
        selection.maxOutputTokens ?? known?.maxOutputTokens ?? defaults.maxOutputTokens,
      price: known?.price,
      takesImages: known?.images ?? true,
    };
  }

  #named({ provider, model }: ModelSelection): { provider: string; model: string } {
    if (provider !== undefined) {
      const only = model ?? this.#onlyModel(provider) ?? this.#defaultModel(provider);
      if (only !== undefined) return { provider, model: only };
      if (!this.#providers.has(provider)) return { provider, model: '' };
      throw new ModelFailure(
        'no_model',
        `The agent names provider ${provider} and no model. Name one as driver.model: stoa agent put AGENT FILE`,
      );
    }
    if (model !== undefined) {
      const slash = model.indexOf('/');
      const prefix = model.slice(0, Math.max(0, slash));
      if (this.#providers.has(prefix)) return { provider: prefix, model: model.slice(slash + 1) };
      const [first, ...others] = this.#providers.keys();
      const home = this.#default?.provider ?? (others.length === 0 ? first : undefined);
      if (home !== undefined) return { provider: home, model };
      if (first === undefined) throw new ModelFailure('no_model', NO_MODEL);
      const names = [first, ...others].join(', ');
      throw new ModelFailure(
        'unknown_model',
        `The agent names model ${model} and no provider; there are: ${names}. Write provider/model.`,
      );
    }
    if (!this.#default) throw new ModelFailure('no_model', NO_MODEL);
    return this.#default;
  }

  #onlyModel(provider: string): string | undefined {
    const models = Object.keys(this.#providers.get(provider)?.models ?? {});
    return models.length === 1 ? models[0] : undefined;
  }

  #defaultModel(provider: string): string | undefined {
    return this.#default?.provider === provider ? this.#default.model : undefined;
  }

  #defaultOf(environment: Environment): { provider: string; model: string } | undefined {
    const { model } = this.config;
    if (model !== undefined) {
      const slash = model.indexOf('/');
      return { provider: model.slice(0, slash), model: model.slice(slash + 1) };
    }
    for (const [provider, variable] of [
      ['openai', 'OPENAI_MODEL'],
      ['anthropic', 'ANTHROPIC_MODEL'],
    ] as const) {
      const named = set(environment[variable]);
      if (named !== undefined && this.#providers.has(provider)) return { provider, model: named };
    }
    const [only, ...others] = this.#providers.keys();
    const onlyModel = only === undefined ? undefined : this.#onlyModel(only);
    if (only === undefined || others.length > 0 || onlyModel === undefined) return undefined;
    return { provider: only, model: onlyModel };
  }

  #client(name: string, provider: Provider, model: string): ModelClient {
    const key = `${name}/${model}`;
    const known = this.#clients.get(key);
    if (known) return known;
    const { silenceSeconds } = this.config.modelRetries ?? {};
    const client = lazyClient({
      provider: name,
      model,
      kind: provider.kind,
      baseUrl: provider.baseUrl ?? DEFAULTS[provider.kind].baseUrl,
      apiKey: provider.apiKey,
      silenceMs: silenceSeconds === undefined ? SILENCE_MS : silenceSeconds * 1_000,
      scrub: this.scrub,
      ...this.ports,
    });
    this.#clients.set(key, client);
    return client;
  }
}

/** Loads the SDK, which is large, with the first request. */
function lazyClient(options: ClientOptions): ModelClient {
  let loading: Promise<ModelClient> | undefined;
  return {
    provider: options.provider,
    model: options.model,
    async ask(request, listener, signal) {
      loading ??= import('./ai-sdk-client.js').then(({ AiSdkClient }) => new AiSdkClient(options));
      return (await loading).ask(request, listener, signal);
    },
  };
}

/** The configured providers and those of the environment. A configured one replaces one with the same name. */
function providersOf(config: ModelsConfig, environment: Environment): Map<string, Provider> {
  const providers = new Map<string, Provider>();
  const add = (name: string, kind: Provider['kind'], baseUrl?: string, apiKey?: string): void => {
    if (baseUrl === undefined && apiKey === undefined) return;
    const url = baseUrl === undefined ? {} : { baseUrl };
    providers.set(name, { kind, ...url, apiKey, missingKey: undefined });
  };
  const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = environment;
  add('openai', 'openai', set(OPENAI_BASE_URL), set(OPENAI_API_KEY));
  add('anthropic', 'anthropic', versioned(set(ANTHROPIC_BASE_URL)), set(ANTHROPIC_API_KEY));
  const implicit = new Map([...providers.values()].map((provider) => [provider.kind, provider]));
  for (const [name, { apiKey, apiKeyEnv, ...rest }] of Object.entries(config.providers ?? {})) {
    // The key in the environment is only for the server in the environment.
    const own = rest.baseUrl === undefined ? implicit.get(rest.kind) : undefined;
    const key = apiKeyEnv === undefined ? (apiKey ?? own?.apiKey) : set(environment[apiKeyEnv]);
    const baseUrl = rest.kind === 'anthropic' ? versioned(rest.baseUrl) : rest.baseUrl;
    const isOpen = apiKeyEnv === undefined && (baseUrl ?? own?.baseUrl) !== undefined;
    providers.set(name, {
      ...rest,
      baseUrl: baseUrl ?? own?.baseUrl,
      apiKey: key,
      missingKey: key === undefined && !isOpen ? (apiKeyEnv ?? KEY_OF[rest.kind]) : undefined,
    });
  }
  return providers;
}

const KEY_OF = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' } as const;

/** The SDK requires the version in the address; other programs omit it. */
function versioned<T extends string | undefined>(url: T): T {
  if (url === undefined || /\/v\d+\/?$/.test(url)) return url;
  return `${url.replace(/(?<!\/)\/+$/, '')}/v1` as T;
}

/** Treats an empty variable as not set. */
const set = (value: string | undefined): string | undefined => (value === '' ? undefined : value);
