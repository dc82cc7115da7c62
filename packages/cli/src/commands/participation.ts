import path from 'node:path';
import type { Channel, Member, ParticipationMode, UpdateChannel } from '@stoa/protocol';
import { PARTICIPATION_MODES } from '@stoa/protocol/constants';
import type { Context, GlobalFlags } from '../context.js';
import { durationText, parseDuration } from '../durations.js';
import { UsageError } from '../failure.js';
import { POLICY } from '../program/policy.js';
import { details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';

export interface PolicyOptions extends GlobalFlags {
  readonly set?: readonly string[];
  readonly reset?: readonly string[];
}

export interface InviteOptions extends GlobalFlags {
  readonly name?: string;
  readonly role?: string;
  readonly expertise?: string;
  /** `channel`: none of its own. */
  readonly mode?: ParticipationMode | 'channel';
  readonly workspace?: string;
}

export async function pauseChannel(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  const channel = await context.client.channels.update(channelId, { paused: true });
  context.answer(channel, () => `${channelId} is paused: no agent gets a turn.`);
}

export async function resumeChannel(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  const channel = await context.client.channels.update(channelId, { paused: false });
  context.answer(
    channel,
    () => `${channelId} is resumed: messages posted during the pause are answered.`,
  );
}

/** Shows how agents take part in a channel, or changes it. */
export async function channelPolicy(
  context: Context,
  [channelId = '']: readonly string[],
  { set = [], reset = [] }: PolicyOptions,
): Promise<void> {
  const { channels } = context.client;
  const channel =
    set.length + reset.length === 0
      ? await channels.get(channelId)
      : await channels.update(channelId, policyChange(set, reset));
  const { paused, autonomyPolicy, defaultParticipationMode } = channel;
  context.answer({ channelId, paused, autonomyPolicy, defaultParticipationMode }, () =>
    policyText(context, channel),
  );
}

/** From `name=value`, durations as `90s` or in milliseconds; and names whose default is to stand again. */
export function policyChange(set: readonly string[], reset: readonly string[] = []): UpdateChannel {
  const policy: Record<string, number | null> = {};
  let mode: ParticipationMode | null | undefined;
  for (const name of reset) {
    if (name === MODE) mode = null;
    else policy[knownName(name)] = null;
  }
  for (const text of set) {
    const [name, value] = splitAt(text, '=');
    if (name === MODE) mode = modeFrom(value);
    else policy[name] = numberFrom(name, value);
  }
  return {
    ...(Object.keys(policy).length === 0 ? {} : { autonomyPolicy: policy }),
    ...(mode === undefined ? {} : { defaultParticipationMode: mode }),
  };
}

const MODE = 'defaultParticipationMode';

function modeFrom(value: string): ParticipationMode {
  const mode = PARTICIPATION_MODES.find((known) => known === value);
  if (mode) return mode;
  throw new UsageError(
    `${MODE} cannot be ${printableLine(value)}`,
    `use one of ${PARTICIPATION_MODES.join(', ')}`,
  );
}

function knownName(name: string): string {
  if (POLICY.some((each) => each.name === name)) return name;
  throw new UsageError(
    `there is no setting ${printableLine(name)}`,
    `the settings are: ${[...POLICY.map((each) => each.name), MODE].join(', ')}`,
  );
}

function numberFrom(name: string, value: string): number {
  knownName(name);
  const given = /^\d{1,12}$/.test(value) ? Number(value) : undefined;
  const number = given ?? (isDuration(name) ? parseDuration(value) : undefined);
  if (number !== undefined) return number;
  throw new UsageError(
    `${name} cannot be ${printableLine(value) || 'empty'}`,
    isDuration(name) ? 'give a duration such as 90s or 10m' : 'give a whole number',
  );
}

/** `quietPeriodMsAfterRootPost` too. */
const isDuration = (name: string): boolean => /Ms(?:$|[A-Z])/.test(name);

function policyText({ paint }: Context, channel: Channel): string {
  const { channelId, title, autonomyPolicy, paused, defaultParticipationMode } = channel;
  const policy: Readonly<Record<string, number | undefined>> = autonomyPolicy;
  return details(paint, { title, id: channelId }, [
    ['paused', paused ? 'yes: no agent gets a turn' : 'no'],
    [MODE, defaultParticipationMode],
    ...POLICY.map(
      ({ name, what }) => [name, `${valueText(name, policy[name])} (${what})`] as const,
    ),
  ]);
}

function valueText(name: string, value: number | undefined): string {
  if (value === undefined) return 'no limit';
  return isDuration(name) && value > 0 ? durationText(value) : String(value);
}

/** Brings a session into a channel: one there is, or a new one of an agent. */
export async function inviteToChannel(
  context: Context,
  [channelId = '', who = '']: readonly string[],
  options: InviteOptions,
): Promise<void> {
  const { client } = context;
  // Asked first: a session that is made for a channel that is not there would be left over.
  await client.channels.get(channelId);
  const sessionId = who.startsWith('ses_')
    ? existing(who, options)
    : await newSession(context, channelId, who, options);
  const member = await client.members.upsert(channelId, {
    actorId: `session:${sessionId}`,
    displayName: options.name,
    role: options.role,
    expertiseTags: options.expertise === undefined ? undefined : tagsIn(options.expertise),
    participationMode: options.mode === 'channel' ? null : options.mode,
  });
  context.answer(member, () => invitedText(member, channelId));
  for (const warning of member.warnings ?? []) context.say(printableLine(warning));
  await sayLack(context, sessionId, member);
}

/** Reported now, because its turns will fail for this reason. */
async function sayLack(context: Context, sessionId: string, member: Member): Promise<void> {
  const { client } = context;
  const { agentId, workspace } = await client.sessions.get(sessionId);
  const agent = await client.agents.get(agentId, { workspace }).catch(() => undefined);
  if (agent?.lacks === undefined) return;
  context.say(
    `${printableLine(member.displayName)} cannot work yet: ${printableLine(agent.lacks)}`,
  );
}

async function newSession(
  { client }: Context,
  channelId: string,
  agentId: string,
  { workspace }: InviteOptions,
): Promise<string> {
  const session = await client.sessions.create({
    agentId,
    workspace: path.resolve(workspace ?? process.cwd()),
    title: channelId,
  });
  return session.sessionId;
}

function existing(sessionId: string, { workspace }: InviteOptions): string {
  if (workspace === undefined) return sessionId;
  throw new UsageError('the session already has a workspace', 'omit --workspace');
}

function invitedText({ displayName, memberId, actorId }: Member, channelId: string): string {
  return `${printableLine(displayName)} (${memberId}) is a member of ${channelId}, as ${actorId.slice('session:'.length)}.`;
}

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
