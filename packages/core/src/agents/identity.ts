import type {
  AgentDefinition,
  ChannelIdentityConfig,
  ChannelMemoryScopeConfig,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
} from '@stoa/protocol';

/** The identity: the configured fields, with defaults from the id and name. */
export function runtimeIdentity(
  id: string,
  name: string,
  config: ChannelIdentityConfig | undefined,
): ChannelRuntimeIdentity {
  return {
    id: config?.id ?? id,
    displayName: config?.displayName ?? name,
    ...(config?.description === undefined ? {} : { description: config.description }),
  };
}

/** An unknown mode becomes `metadata-only`. */
export function runtimeMemoryScope(
  id: string,
  config: ChannelMemoryScopeConfig | undefined,
): ChannelRuntimeMemoryScope {
  return {
    namespace: config?.namespace ?? id,
    mode: config?.mode === 'isolated' ? 'isolated' : 'metadata-only',
  };
}

/** The identity and memory scope of an agent outside of channels. */
export function agentIdentity(agentId: string, name: string, definition: AgentDefinition) {
  const id = `agent:${agentId}`;
  return {
    identity: runtimeIdentity(id, name, definition.identity),
    memoryScope: runtimeMemoryScope(id, definition.memoryScope),
  };
}
