import { z } from 'zod';

/** Per million tokens, in the configured currency. */
export const Price = z.strictObject({
  input: z.number().min(0),
  /** Default: the price of other input; writing to a cache costs the same. */
  cachedInput: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
  output: z.number().min(0),
});
export type Price = z.infer<typeof Price>;

export const ModelConfig = z.strictObject({
  contextTokens: z.int().min(1_000).max(10_000_000).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  price: Price.optional(),
  /** Whether it accepts images; default: yes. */
  images: z.boolean().optional(),
});
export type ModelConfig = z.infer<typeof ModelConfig>;

export const ProviderName = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/);

/** `openai` is every server with its protocol: OpenAI, Ollama, vLLM, OpenRouter, Qwen. */
export const ProviderConfig = z
  .strictObject({
    kind: z.enum(['openai', 'anthropic']),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    apiKey: z.string().min(1).optional(),
    /** The environment variable with the key. */
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

/** The configuration of models. */
export const MODELS_CONFIG = {
  providers: z.record(ProviderName, ProviderConfig).optional(),
  /** For agents that name no model: `provider/model`. */
  model: z
    .string()
    .regex(/^[^/]+\/.+$/, 'must be provider/model')
    .optional(),
  /** The currency of the prices. */
  currency: z.string().min(1).max(10).optional(),
  modelRetries: z
    .strictObject({
      /** How often one request is tried in all. */
      attempts: z.int().min(1).max(20).optional(),
      /** If a provider asks to wait longer than this, the run fails. */
      maxWaitSeconds: z.int().min(1).max(3_600).optional(),
      /** A server that sends nothing for this long counts as failed. */
      silenceSeconds: z.int().min(1).max(3_600).optional(),
    })
    .optional(),
} as const;
export const ModelsConfig = z.strictObject(MODELS_CONFIG);
export type ModelsConfig = z.infer<typeof ModelsConfig>;
