import type { AutonomyPolicy, AutonomyPolicyChange } from '@stoa/protocol';
import { durationText, parseDuration } from './durations.js';

type PolicyName = keyof AutonomyPolicy;

const DAY_MS = 86_400_000;

/** The least and the most of each, so that all that is not right is marked at once. A test holds them to the contract. */
export const POLICY_BOUNDS: Readonly<Record<PolicyName, readonly [number, number]>> = {
  maxParallelPublicSpeakers: [1, 20],
  maxAgentRepliesPerHumanMessage: [1, 100],
  maxStartedRunsPerHumanMessage: [1, 100],
  memberCooldownMs: [0, DAY_MS],
  leaseTimeoutMs: [1_000, DAY_MS],
  claimTimeoutMs: [1_000, DAY_MS],
  silenceLimitMs: [1_000, DAY_MS],
  tokensPerTurn: [1, Number.MAX_SAFE_INTEGER],
  maxPendingStimuli: [1, 1_000],
  maxAgentRepliesPerStimulus: [1, 20],
  maxAutonomousRepliesSinceHuman: [1, 100],
  maxAutonomousRootPostsPerHour: [1, 1_000],
  maxActiveAutonomousRoots: [1, 100],
  quietPeriodMsAfterRootPost: [0, DAY_MS],
  threadIdleFollowUpMs: [60_000, 30 * DAY_MS],
};

export interface PolicyField {
  readonly name: PolicyName;
  readonly label: string;
  readonly hint: string;
  /** What holds while nothing is set; undefined is no limit, or never. A test holds it to the contract. */
  readonly standard: number | undefined;
  readonly kind: 'count' | 'duration';
  /** Text if there is no default. */
  readonly without?: string;
}

interface PolicyGroup {
  readonly title: string;
  readonly fields: readonly PolicyField[];
}

const count = (
  name: PolicyName,
  label: string,
  standard: number | undefined,
  hint: string,
  without?: string,
): PolicyField => ({ name, label, hint, standard, kind: 'count', ...(without && { without }) });

const time = (
  name: PolicyName,
  label: string,
  standard: number | undefined,
  hint: string,
  without?: string,
): PolicyField => ({ ...count(name, label, standard, hint, without), kind: 'duration' });

export const POLICY_GROUPS: readonly PolicyGroup[] = [
  {
    title: 'After a message from a person',
    fields: [
      count('maxAgentRepliesPerHumanMessage', 'Replies', 3, 'Total for all agents.'),
      count('maxStartedRunsPerHumanMessage', 'Runs', 3, 'Includes runs without a reply.'),
      count('maxParallelPublicSpeakers', 'Speakers at once', 1, 'In one thread.'),
      count('tokensPerTurn', 'Tokens', undefined, 'Total for all runs of a turn.', 'no limit'),
    ],
  },
  {
    title: 'Time to speak',
    fields: [
      time('memberCooldownMs', 'Pause between turns', 15_000, 'Addressed agents do not wait.'),
      time('leaseTimeoutMs', 'Turn length', 60_000, 'After that, a waiting agent may take over.'),
      time('claimTimeoutMs', 'Time to start', 20_000, 'After that, the next agent gets the turn.'),
      time(
        'silenceLimitMs',
        'Silence',
        600_000,
        'A run without activity for this long is cancelled.',
      ),
    ],
  },
  {
    title: 'On their own initiative',
    fields: [
      count('maxAgentRepliesPerStimulus', 'Replies to a stimulus', 2, 'Total for all agents.'),
      count(
        'maxAutonomousRepliesSinceHuman',
        'Replies without a person',
        12,
        'Since the last message of a person. After that, stimuli wake no agent.',
      ),
      count('maxPendingStimuli', 'Waiting stimuli', 32, 'Further stimuli are refused.'),
      count('maxAutonomousRootPostsPerHour', 'New threads per hour', 4, 'Started by stimuli.'),
      count('maxActiveAutonomousRoots', 'Active threads', 1, 'Started by stimuli.'),
      time(
        'quietPeriodMsAfterRootPost',
        'Quiet period',
        300_000,
        'Before a stimulus starts another thread.',
      ),
      time(
        'threadIdleFollowUpMs',
        'Follow up idle work',
        undefined,
        'Open work without a message for this long gets one follow-up.',
        'never',
      ),
    ],
  },
];

export const POLICY_FIELDS: readonly PolicyField[] = POLICY_GROUPS.flatMap(({ fields }) => fields);

export type WrittenPolicy = Readonly<Partial<Record<PolicyName, string>>>;

/** What is written in the form: nothing where the standard holds. */
export function writtenPolicy(policy: AutonomyPolicy): WrittenPolicy {
  const written: Partial<Record<PolicyName, string>> = {};
  for (const field of POLICY_FIELDS) {
    const value = policy[field.name];
    if (value !== undefined && value !== field.standard) written[field.name] = textOf(field, value);
  }
  return written;
}

function textOf({ kind }: PolicyField, value: number): string {
  return kind === 'duration' ? durationText(value) : String(value);
}

export function standardText(field: PolicyField): string {
  return field.standard === undefined ? (field.without ?? '') : textOf(field, field.standard);
}

/** What has to change so that the channel has what is written; or what of it cannot be read. */
export function policyChange(
  before: WrittenPolicy,
  now: WrittenPolicy,
): {
  readonly change: AutonomyPolicyChange;
  readonly unreadable: Readonly<Record<string, string>>;
} {
  const change: Partial<Record<PolicyName, number | null | undefined>> = {};
  const unreadable: Record<string, string> = {};
  for (const field of POLICY_FIELDS) {
    const { name, kind } = field;
    const text = (now[name] ?? '').trim();
    if (text === (before[name] ?? '')) continue;
    if (text === '') {
      change[name] = null;
      continue;
    }
    const value = kind === 'duration' ? parseDuration(text) : wholeNumber(text);
    const problem = problemOf(field, value);
    if (problem === undefined) change[name] = value;
    else unreadable[`autonomyPolicy.${name}`] = problem;
  }
  return { change, unreadable };
}

function problemOf(field: PolicyField, value: number | undefined): string | undefined {
  if (value === undefined) {
    return field.kind === 'duration' ? 'Write it as 15s, 5m or 1h 30m.' : 'Enter a whole number.';
  }
  const [least, most] = POLICY_BOUNDS[field.name];
  if (value < least) return `At least ${textOf(field, least)}.`;
  return value > most ? `At most ${textOf(field, most)}.` : undefined;
}

const wholeNumber = (text: string): number | undefined =>
  /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
