import { ModelsConfig } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { ModelFailure } from './model-failure.js';
import { type ModelSelection, Models } from './models.js';

const ports = { timers: { after: () => () => undefined }, clock: { now: () => 0 } };
const models = (config: unknown, environment: Record<string, string> = {}) =>
  new Models(ModelsConfig.parse(config), environment, ports);

const named = (from: Models, selection: ModelSelection = {}): string => {
  try {
    const { client } = from.choose(selection);
    return `${client.provider}/${client.model}`;
  } catch (error) {
    if (error instanceof ModelFailure) return `${error.code}: ${error.message}`;
    throw error;
  }
};

const openai = { OPENAI_API_KEY: 'sk-openai', OPENAI_MODEL: 'gpt' };
const anthropic = { ANTHROPIC_API_KEY: 'sk-ant', ANTHROPIC_MODEL: 'claude' };

describe('the model of an agent', () => {
  it.each([
    ['the one in the environment', {}, openai, {}, 'openai/gpt'],
    ['the one in the environment', {}, anthropic, {}, 'anthropic/claude'],
    ['OpenAI before Anthropic', {}, { ...anthropic, ...openai }, {}, 'openai/gpt'],
    [
      'a server without a key',
      {},
      { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', OPENAI_MODEL: 'qwen3' },
      {},
      'openai/qwen3',
    ],
    [
      'the configured default',
      { model: 'anthropic/opus' },
      { ...anthropic, ...openai },
      {},
      'anthropic/opus',
    ],
    ['its own', {}, { ...anthropic, ...openai }, { model: 'anthropic/haiku' }, 'anthropic/haiku'],
    ['its own, at the default provider', {}, openai, { model: 'gpt-mini' }, 'openai/gpt-mini'],
    [
      'the one of its provider',
      {},
      { ...anthropic, ...openai },
      { provider: 'anthropic', model: 'x' },
      'anthropic/x',
    ],
    [
      'names with slashes',
      { providers: { router: { kind: 'openai', baseUrl: 'https://r.example/v1', apiKey: 'k' } } },
      {},
      { model: 'router/qwen/qwen3' },
      'router/qwen/qwen3',
    ],
    [
      'the only configured one',
      { providers: { local: { kind: 'openai', baseUrl: 'http://l/v1', models: { m: {} } } } },
      {},
      {},
      'local/m',
    ],
  ])('is %s', (_, config, environment, selection, expected) => {
    expect(named(models(config, environment), selection)).toBe(expected);
  });

  it.each([
    ['nothing is configured', {}, {}, {}, 'no_model: No model is configured. Set `model'],
    ['a key and no model', {}, { OPENAI_API_KEY: 'k' }, {}, 'no_model: '],
    ['an empty variable', {}, { OPENAI_API_KEY: '', OPENAI_MODEL: 'gpt' }, {}, 'no_model: '],
    [
      'another provider',
      {},
      openai,
      { provider: 'mars', model: 'm' },
      'unknown_model: There is no provider mars; there are: openai.',
    ],
    [
      'another default',
      { model: 'mars/m' },
      openai,
      {},
      'unknown_model: There is no provider mars',
    ],
    [
      'a missing key',
      { providers: { a: { kind: 'anthropic', apiKeyEnv: 'MY_KEY' } }, model: 'a/claude' },
      anthropic,
      {},
      'no_model: Provider a has no key: the environment variable MY_KEY is not set. Set it and start the daemon again: MY_KEY=KEY stoa serve',
    ],
    [
      'no key at the provider itself',
      { providers: { a: { kind: 'anthropic' } }, model: 'a/claude' },
      {},
      {},
      'no_model: Provider a has no key: the environment variable ANTHROPIC_API_KEY',
    ],
  ])('fails with a message: %s', (_, config, environment, selection, expected) => {
    expect(named(models(config, environment), selection)).toContain(expected);
  });

  it('takes prices and sizes from the configuration, unless the agent sets sizes', () => {
    const price = { input: 1, output: 2 };
    const from = models(
      {
        providers: { openai: { kind: 'openai', models: { gpt: { price, contextTokens: 9_000 } } } },
      },
      openai,
    );
    expect(from.choose({})).toMatchObject({ price, contextTokens: 9_000, takesImages: true });
    expect(from.choose({ contextTokens: 5_000 })).toMatchObject({ contextTokens: 5_000 });
    expect(from.choose({ model: 'other' })).toMatchObject({ contextTokens: 128_000 });
    expect(from.choose({ model: 'other' }).price).toBeUndefined();
  });

  it('removes its keys from a text', () => {
    const from = models(
      {},
      { ...openai, ANTHROPIC_API_KEY: 'sk-ant-secret', OPENAI_API_KEY: 'a+b/c=1' },
    );
    expect(from.scrub('sk-ant-secret and a%2Bb%2Fc%3D1 and a+b/c=1')).toBe(
      '[secret] and [secret] and [secret]',
    );
  });

  it.each([
    [{ providers: { A: { kind: 'openai' } } }],
    [{ providers: { a: { kind: 'bedrock' } } }],
    [{ providers: { a: { kind: 'openai', apiKey: 'k', apiKeyEnv: 'K' } } }],
    [{ providers: { a: { kind: 'openai', baseUrl: 'file:///x' } } }],
    [{ model: 'gpt' }],
  ])('%j is not a valid configuration', (config) => {
    expect(ModelsConfig.safeParse(config).success).toBe(false);
  });
});
