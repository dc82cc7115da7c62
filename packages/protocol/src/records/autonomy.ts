import { z } from 'zod';
import { PARTICIPATION_MODES } from '../enumerations.js';

/**
 * When a session member is given a turn by a message of a person:
 *
 *   manual_only      never; only when a person starts a task of a project for it
 *   selected_only    when it is selected (addressed, mentioned, replied to), or when nobody is
 *   prefer_selected  the same, and also when others are selected and none of them spoke
 *   always_listen    always, behind those who are selected
 */
export const ParticipationMode = z.enum(PARTICIPATION_MODES);
export type ParticipationMode = z.infer<typeof ParticipationMode>;

const DAY_MS = 24 * 3_600_000;
const count = (most: number) => z.int().min(1).max(most);
const duration = (least: number) => z.int().min(least).max(DAY_MS);

/** What of the policy of a channel is set; the rest is as `DEFAULT_AUTONOMY_POLICY` says. */
export const AutonomyPolicySettings = z.strictObject({
  /** At the same time in one thread. */
  maxParallelPublicSpeakers: count(20).optional(),
  /** Of all agents together, after one message of a person. */
  maxAgentRepliesPerHumanMessage: count(100).optional(),
  /** Runs that end in silence count here and not above. */
  maxStartedRunsPerHumanMessage: count(100).optional(),
  /** Before the same session may speak in the same thread again; selected members and the last speaker need not wait. */
  memberCooldownMs: duration(0).optional(),
  /** After this much silence a speaker may be replaced by a waiting member. */
  leaseTimeoutMs: duration(1_000).optional(),
  /** A grant that its session has not taken up by then passes on. */
  claimTimeoutMs: duration(1_000).optional(),
  /** A run that did nothing for this long is cancelled. */
  silenceLimitMs: duration(1_000).optional(),
  /** Input and output of all runs of one turn; without it there is no limit. */
  tokensPerTurn: z.int().min(1).optional(),
  /** Stimuli that wait or are being posted. */
  maxPendingStimuli: count(1_000).optional(),
  /** Of all agents together, after one stimulus; it never adds to what a person's message allows. */
  maxAgentRepliesPerStimulus: count(20).optional(),
  /** Of all agents in a channel since a person last spoke there; then stimuli are posted and wake nobody. */
  maxAutonomousRepliesSinceHuman: count(100).optional(),
  maxAutonomousRootPostsPerHour: count(1_000).optional(),
  /** Threads that stimuli began and that are still at work. */
  maxActiveAutonomousRoots: count(100).optional(),
  /** Before a stimulus may begin another thread. */
  quietPeriodMsAfterRootPost: duration(0).optional(),
  /** Open work that nothing was said about for this long is asked about, once; without it never. */
  threadIdleFollowUpMs: z
    .int()
    .min(60_000)
    .max(30 * DAY_MS)
    .optional(),
});
export type AutonomyPolicySettings = z.infer<typeof AutonomyPolicySettings>;

const { shape } = AutonomyPolicySettings;

/** A change of it: absent leaves a field as it is; `null` lets the default stand again. */
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
