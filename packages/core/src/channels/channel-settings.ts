import {
  type AutonomyPolicy,
  type AutonomyPolicyChange,
  type AutonomyPolicySettings,
  type ChannelIdentityConfig,
  type ChannelMemoryScopeConfig,
  DEFAULT_AUTONOMY_POLICY,
  type ParticipationMode,
} from '@stoa/protocol';
import { decodeValue } from '../kernel/codec.js';

/** What was set of how agents take part in a channel, who they are there and what they remember. */
export interface ChannelSettings {
  readonly autonomyPolicy?: AutonomyPolicySettings | undefined;
  readonly defaultParticipationMode?: ParticipationMode | undefined;
  readonly identity?: ChannelIdentityConfig | undefined;
  readonly memoryScope?: ChannelMemoryScopeConfig | undefined;
}

/** A change of them; `null` clears. */
interface SettingsChange {
  readonly autonomyPolicy?: AutonomyPolicyChange | undefined;
  readonly defaultParticipationMode?: ParticipationMode | null | undefined;
  readonly identity?: ChannelIdentityConfig | null | undefined;
  readonly memoryScope?: ChannelMemoryScopeConfig | null | undefined;
}

export const settingsOf = (text: string): ChannelSettings => decodeValue(text) as ChannelSettings;

/** Fields that are not named keep what they had. */
export function changedSettings(now: ChannelSettings, change: SettingsChange): ChannelSettings {
  const { autonomyPolicy, defaultParticipationMode, identity, memoryScope } = change;
  return {
    ...now,
    ...(autonomyPolicy ? { autonomyPolicy: merged(now.autonomyPolicy, autonomyPolicy) } : {}),
    ...(defaultParticipationMode === undefined
      ? {}
      : { defaultParticipationMode: defaultParticipationMode ?? undefined }),
    ...(identity === undefined ? {} : { identity: identity ?? undefined }),
    ...(memoryScope === undefined ? {} : { memoryScope: memoryScope ?? undefined }),
  };
}

const merged = (
  now: AutonomyPolicySettings | undefined,
  change: AutonomyPolicyChange,
): AutonomyPolicySettings =>
  Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== null));

export function policyOf({ autonomyPolicy }: ChannelSettings): AutonomyPolicy {
  return { ...DEFAULT_AUTONOMY_POLICY, ...autonomyPolicy } as AutonomyPolicy;
}

export const defaultModeOf = ({ defaultParticipationMode }: ChannelSettings): ParticipationMode =>
  defaultParticipationMode ?? 'selected_only';
