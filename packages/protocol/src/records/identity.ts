import { z } from 'zod';
import { MEMORY_SCOPE_MODES } from '../enumerations.js';
import { LIMITS } from '../limits.js';

/** The configured part of the identity of an agent or a channel; the rest follows from its id. */
export const ChannelIdentityConfig = z.strictObject({
  id: z.string().min(1).max(LIMITS.titleChars).optional(),
  displayName: z.string().min(1).max(LIMITS.displayNameChars).optional(),
  description: z.string().max(LIMITS.descriptionChars).optional(),
});
export type ChannelIdentityConfig = z.infer<typeof ChannelIdentityConfig>;

export const ChannelRuntimeIdentity = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  description: z.string().optional(),
});
export type ChannelRuntimeIdentity = z.infer<typeof ChannelRuntimeIdentity>;

/** `metadata-only` marks the boundary; `isolated` enforces it. An unknown mode is the former. */
export const ChannelMemoryScopeMode = z.enum(MEMORY_SCOPE_MODES);
export type ChannelMemoryScopeMode = z.infer<typeof ChannelMemoryScopeMode>;

export const ChannelMemoryScopeConfig = z.strictObject({
  namespace: z.string().min(1).max(LIMITS.titleChars).optional(),
  mode: ChannelMemoryScopeMode.or(z.string().max(LIMITS.titleChars)).optional(),
});
export type ChannelMemoryScopeConfig = z.infer<typeof ChannelMemoryScopeConfig>;

export const ChannelRuntimeMemoryScope = z.strictObject({
  namespace: z.string(),
  mode: ChannelMemoryScopeMode,
});
export type ChannelRuntimeMemoryScope = z.infer<typeof ChannelRuntimeMemoryScope>;
