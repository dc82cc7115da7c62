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

/** The settings of a channel for its agents, as far as they were set. */
export interface ChannelSettings {
  readonly autonomyPolicy?: AutonomyPolicySettings | undefined;
  readonly defaultParticipationMode?: ParticipationMode | undefined;
  readonly identity?: ChannelIdentityConfig | undefined;
  readonly memoryScope?: ChannelMemoryScopeConfig | undefined;
}

/** `null` clears a setting. */
interface SettingsChange {
  readonly autonomyPolicy?: AutonomyPolicyChange | undefined;
  readonly defaultParticipationMode?: ParticipationMode | null | undefined;
  readonly identity?: ChannelIdentityConfig | null | undefined;
  readonly memoryScope?: ChannelMemoryScopeConfig | null | undefined;
}

export const settingsOf = (text: string): ChannelSettings => decodeValue(text) as ChannelSettings;

/** Settings that the change does not name stay. */
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
