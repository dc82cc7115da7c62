import { z } from 'zod';

/** In the currency of the configuration, for a million tokens. */
export const Price = z.strictObject({
  input: z.number().min(0),
  /** Without it, as dear as other input; so is what is written into a cache. */
  cachedInput: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
  output: z.number().min(0),
});
export type Price = z.infer<typeof Price>;

export const ModelConfig = z.strictObject({
  contextTokens: z.int().min(1_000).max(10_000_000).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  price: Price.optional(),
  /** Whether it can be shown images; it can, unless this says no. */
  images: z.boolean().optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const ProviderName = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);

/** `openai` is every server that speaks its protocol: OpenAI, Ollama, vLLM, OpenRouter, Qwen. */
export const ProviderConfig = z
  .strictObject({
    kind: z.enum(['openai', 'anthropic']),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    apiKey: z.string().min(1).optional(),
    /** The environment variable that holds the key. */
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_]\w*$/)
      .optional(),
    models: z.record(z.string().min(1), ModelConfig).optional(),
  })
  .refine(({ apiKey, apiKeyEnv }) => apiKey === undefined || apiKeyEnv === undefined, {
    error: 'one of apiKey and apiKeyEnv, not both',
  });
export type ProviderConfig = z.infer<typeof ProviderConfig>;

/** What the daemon's configuration says about models. */
export const MODELS_CONFIG = {
  providers: z.record(ProviderName, ProviderConfig).optional(),
  /** What agents use that name none: `provider/model`. */
  model: z
    .string()
    .regex(/^[^/]+\/.+$/, 'must be provider/model')
    .optional(),
  /** What the prices are in. */
  currency: z.string().min(1).max(10).optional(),
  modelRetries: z
    .strictObject({
      /** How often one request is made in all. */
      attempts: z.int().min(1).max(20).optional(),
      /** A provider that asks to wait longer than this fails the run. */
      maxWaitSeconds: z.int().min(1).max(3_600).optional(),
      /** A server that sends nothing for this long is given up. */
      silenceSeconds: z.int().min(1).max(3_600).optional(),
    })
    .optional(),
} as const;
export const ModelsConfig = z.strictObject(MODELS_CONFIG);
export type ModelsConfig = z.infer<typeof ModelsConfig>;
