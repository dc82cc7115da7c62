import type {
  Channel,
  ChannelMemoryScopeConfig,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
} from '@stoa/protocol';
import { findChannelSettings, type Tx } from '@stoa/store';
import { runtimeIdentity, runtimeMemoryScope } from '../agents/identity.js';
import { type ChannelSettings, settingsOf } from './channel-settings.js';

/** The identity and the memory of agents in a channel. */
export interface ChannelScope {
  readonly identity: ChannelRuntimeIdentity;
  readonly memoryScope: ChannelRuntimeMemoryScope;
  /** Whether either was set; otherwise agents are not informed of a boundary. */
  readonly isConfigured: boolean;
  readonly hasIdentity: boolean;
}

export function channelScope(channelId: string, settings: ChannelSettings): ChannelScope {
  const id = `channel:${channelId}`;
  const { identity, memoryScope } = settings;
  return {
    identity: runtimeIdentity(id, channelId, identity),
    memoryScope: runtimeMemoryScope(id, memoryScope),
    isConfigured: identity !== undefined || memoryScope !== undefined,
    hasIdentity: identity !== undefined,
  };
}

/** Undefined if the channel does not exist. */
export function* scopeOfChannel(channelId: string): Tx<ChannelScope | undefined> {
  const row = yield* findChannelSettings.first({ channelId });
  return row && channelScope(channelId, settingsOf(row.settings));
}

/** Identity, memory and warnings, as the record of a channel has them. */
export function scopeFields(
  channelId: string,
  settings: ChannelSettings,
): Pick<Channel, 'identity' | 'memoryScope' | 'warnings'> {
  const { identity, memoryScope } = channelScope(channelId, settings);
  const warning = modeWarning(settings.memoryScope);
  return { identity, memoryScope, ...(warning === undefined ? {} : { warnings: [warning] }) };
}

/** An unknown mode does not isolate the memory, which the person who set it may expect. */
export function modeWarning(config: ChannelMemoryScopeConfig | undefined): string | undefined {
  const mode = config?.mode;
  if (mode === undefined || mode === 'isolated' || mode === 'metadata-only') return undefined;
  return `The memory mode ${JSON.stringify(mode)} is not known and is treated as metadata-only, which marks the boundary and does not enforce it`;
}
