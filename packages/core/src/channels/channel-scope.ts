import type {
  Channel,
  ChannelMemoryScopeConfig,
  ChannelRuntimeIdentity,
  ChannelRuntimeMemoryScope,
} from '@stoa/protocol';
import { findChannelSettings, type Tx } from '@stoa/store';
import { runtimeIdentity, runtimeMemoryScope } from '../agents/identity.js';
import { type ChannelSettings, settingsOf } from './channel-settings.js';

/** Who agents are in a channel and what they may remember there. */
export interface ChannelScope {
  readonly identity: ChannelRuntimeIdentity;
  readonly memoryScope: ChannelRuntimeMemoryScope;
  /** Nothing is said of a boundary that nobody drew. */
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

/** Undefined when the channel is gone. */
export function* scopeOfChannel(channelId: string): Tx<ChannelScope | undefined> {
  const row = yield* findChannelSettings.first({ channelId });
  return row && channelScope(channelId, settingsOf(row.settings));
}

/** Identity, memory and what is to be warned of, as they stand in the record of a channel. */
export function scopeFields(
  channelId: string,
  settings: ChannelSettings,
): Pick<Channel, 'identity' | 'memoryScope' | 'warnings'> {
  const { identity, memoryScope } = channelScope(channelId, settings);
  const warning = modeWarning(settings.memoryScope);
  return { identity, memoryScope, ...(warning === undefined ? {} : { warnings: [warning] }) };
}

/** A mode that is not known opens nothing, and closes nothing either: that must not go unnoticed. */
export function modeWarning(config: ChannelMemoryScopeConfig | undefined): string | undefined {
  const mode = config?.mode;
  if (mode === undefined || mode === 'isolated' || mode === 'metadata-only') return undefined;
  return `The memory mode ${JSON.stringify(mode)} is not known: it is taken as metadata-only, which marks the boundary and does not enforce it`;
}
