import type {
  AgentDefinition,
  ChannelIdentityConfig,
  ChannelMemoryScopeConfig,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
} from '@stoa/protocol';

/** Who speaks: what is configured, and for the rest what follows from the name. */
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

/** An unknown mode never opens anything: it becomes the one that only marks the boundary. */
export function runtimeMemoryScope(
  id: string,
  config: ChannelMemoryScopeConfig | undefined,
): ChannelRuntimeMemoryScope {
  return {
    namespace: config?.namespace ?? id,
    mode: config?.mode === 'isolated' ? 'isolated' : 'metadata-only',
  };
}

/** Who an agent is where no channel says otherwise. */
export function agentIdentity(agentId: string, name: string, definition: AgentDefinition) {
  const id = `agent:${agentId}`;
  return {
    identity: runtimeIdentity(id, name, definition.identity),
    memoryScope: runtimeMemoryScope(id, definition.memoryScope),
  };
}
