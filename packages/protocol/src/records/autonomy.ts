import { z } from 'zod';
import { PARTICIPATION_MODES } from '../enumerations.js';

/**
 * When a session member gets a turn after a message of a person:
 *
 *   manual_only      never; only when a person starts a project task for it
 *   selected_only    if it is selected (addressed, mentioned, replied to), or if nobody is
 *   prefer_selected  the same, and also if others are selected and none of them spoke
 *   always_listen    always, after those who are selected
 */
export const ParticipationMode = z.enum(PARTICIPATION_MODES);
export type ParticipationMode = z.infer<typeof ParticipationMode>;

const DAY_MS = 24 * 3_600_000;
const count = (most: number) => z.int().min(1).max(most);
const duration = (least: number) => z.int().min(least).max(DAY_MS);

/** The configured part of the policy of a channel; `DEFAULT_AUTONOMY_POLICY` has the rest. */
export const AutonomyPolicySettings = z.strictObject({
  /** At the same time in one thread. */
  maxParallelPublicSpeakers: count(20).optional(),
  /** Of all agents together, after one message of a person. */
  maxAgentRepliesPerHumanMessage: count(100).optional(),
  /** Counts runs that end in silence too, unlike the limit above. */
  maxStartedRunsPerHumanMessage: count(100).optional(),
  /**
   * Before the same session may speak in the same thread again; selected members and the last speaker need not wait.
   */
  memberCooldownMs: duration(0).optional(),
  /** After this much silence a waiting member may replace a speaker. */
  leaseTimeoutMs: duration(1_000).optional(),
  /** A grant that its session has not claimed by then passes to another. */
  claimTimeoutMs: duration(1_000).optional(),
  /** A run without activity for this long is cancelled. */
  silenceLimitMs: duration(1_000).optional(),
  /** Input and output of all runs of one turn; absent means no limit. */
  tokensPerTurn: z.int().min(1).optional(),
  /** Stimuli that wait or are being posted. */
  maxPendingStimuli: count(1_000).optional(),
  /** Of all agents together, after one stimulus; never in addition to the budget of a person's message. */
  maxAgentRepliesPerStimulus: count(20).optional(),
  /**
   * Of all agents in a channel since the last message of a person; beyond it, stimuli are posted without waking
   * anyone.
   */
  maxAutonomousRepliesSinceHuman: count(100).optional(),
  maxAutonomousRootPostsPerHour: count(1_000).optional(),
  /** Open threads that stimuli began. */
  maxActiveAutonomousRoots: count(100).optional(),
  /** Before a stimulus may begin another thread. */
  quietPeriodMsAfterRootPost: duration(0).optional(),
  /** Open work without messages for this long gets one follow-up; absent means never. */
  threadIdleFollowUpMs: z
    .int()
    .min(60_000)
    .max(30 * DAY_MS)
    .optional(),
});
export type AutonomyPolicySettings = z.infer<typeof AutonomyPolicySettings>;

const { shape } = AutonomyPolicySettings;

/** A change of it: an absent field is not changed; `null` restores the default. */
export const AutonomyPolicyChange = z.strictObject(
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, field.nullable()])) as {
    [K in keyof typeof shape]: z.ZodNullable<(typeof shape)[K]>;
  },
);
export type AutonomyPolicyChange = z.infer<typeof AutonomyPolicyChange>;

/** How much agents may do in a channel without a person. */
export const AutonomyPolicy = AutonomyPolicySettings.required().partial({
  tokensPerTurn: true,
  threadIdleFollowUpMs: true,
});
export type AutonomyPolicy = z.infer<typeof AutonomyPolicy>;

export const DEFAULT_AUTONOMY_POLICY: AutonomyPolicy = {
  maxParallelPublicSpeakers: 1,
  maxAgentRepliesPerHumanMessage: 3,
  maxStartedRunsPerHumanMessage: 3,
  memberCooldownMs: 15_000,
  leaseTimeoutMs: 60_000,
  claimTimeoutMs: 20_000,
  silenceLimitMs: 600_000,
  maxPendingStimuli: 32,
  maxAgentRepliesPerStimulus: 2,
  maxAutonomousRepliesSinceHuman: 12,
  maxAutonomousRootPostsPerHour: 4,
  maxActiveAutonomousRoots: 1,
  quietPeriodMsAfterRootPost: 300_000,
};
