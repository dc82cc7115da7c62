import {
  type AutonomyPolicy,
  type AutonomyPolicySettings,
  DEFAULT_AUTONOMY_POLICY,
  type ParticipationMode,
} from '@stoa/protocol';

/** What was set of how agents take part in a channel. */
interface ChannelSettings {
  readonly autonomyPolicy?: AutonomyPolicySettings | undefined;
  readonly defaultParticipationMode?: ParticipationMode | undefined;
}

export const settingsOf = (text: string): ChannelSettings => JSON.parse(text) as ChannelSettings;

/** Fields that are not named keep what they had. */
export function changedSettings(now: ChannelSettings, change: ChannelSettings): ChannelSettings {
  const { autonomyPolicy, defaultParticipationMode } = change;
  return {
    ...now,
    ...(autonomyPolicy ? { autonomyPolicy: { ...now.autonomyPolicy, ...autonomyPolicy } } : {}),
    ...(defaultParticipationMode ? { defaultParticipationMode } : {}),
  };
}

export function policyOf({ autonomyPolicy }: ChannelSettings): AutonomyPolicy {
  return { ...DEFAULT_AUTONOMY_POLICY, ...autonomyPolicy } as AutonomyPolicy;
}

export const defaultModeOf = ({ defaultParticipationMode }: ChannelSettings): ParticipationMode =>
  defaultParticipationMode ?? 'selected_only';
