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
    ['what the environment names', {}, openai, {}, 'openai/gpt'],
    ['what the environment names', {}, anthropic, {}, 'anthropic/claude'],
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
      'its provider’s',
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
      'the only one there is',
      { providers: { local: { kind: 'openai', baseUrl: 'http://l/v1', models: { m: {} } } } },
      {},
      {},
      'local/m',
    ],
  ])('is %s', (_, config, environment, wish, expected) => {
    expect(named(models(config, environment), wish)).toBe(expected);
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
  ])('%s is said', (_, config, environment, wish, expected) => {
    expect(named(models(config, environment), wish)).toContain(expected);
  });

  it('takes prices and sizes from the configuration, and the agent’s sizes before them', () => {
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

  it('takes its keys out of every text', () => {
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
  ])('%j is not a configuration', (config) => {
    expect(ModelsConfig.safeParse(config).success).toBe(false);
  });
});
