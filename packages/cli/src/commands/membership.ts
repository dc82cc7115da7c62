import { StoaProblem } from '@stoa/client';
import type { Member } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface JoinOptions extends GlobalFlags {
  readonly as?: string;
  readonly human?: string;
  readonly role?: string;
}

export interface LeaveOptions extends GlobalFlags {
  readonly member?: string;
}

export async function listMembers(
  context: Context,
  [channelId = '']: readonly string[],
): Promise<void> {
  const members = await context.client.members.list(channelId);
  context.answer({ members }, () =>
    context.table(
      [
        { title: 'MEMBER' },
        { title: 'NAME' },
        { title: 'JOINED' },
        { title: 'MODE' },
        { title: 'ROLE' },
      ],
      members.map((member) => [
        member.memberId,
        printableLine(member.displayName),
        relativeTime(member.joinedAt, context.io.now()),
        member.mode ?? '',
        printableLine(member.role ?? ''),
      ]),
    ),
  );
}

export async function joinChannel(
  context: Context,
  [channelId = '']: readonly string[],
  options: JoinOptions,
): Promise<void> {
  const member = await context.client.members.upsert(channelId, {
    actorId: options.human === undefined ? undefined : `human:${options.human}`,
    displayName: options.as,
    role: options.role,
  });
  context.answer(member, () => `${memberName(member)} is a member of ${channelId}.`);
}

export async function leaveChannel(
  context: Context,
  [channelId = '']: readonly string[],
  options: LeaveOptions,
): Promise<void> {
  const memberId = options.member ?? (await ownMemberId(context, channelId));
  await context.client.members.remove(channelId, memberId);
  context.answer({ left: memberId, channelId }, () => `${memberId} has left ${channelId}.`);
}

async function ownMemberId(context: Context, channelId: string): Promise<string> {
  const { actorId } = await context.client.whoami();
  const members = await context.client.members.list(channelId);
  const own = members.find((member) => member.actorId === actorId);
  if (own) return own.memberId;
  throw new StoaProblem('member_not_found', 404, `${actorId} is not a member of ${channelId}`);
}

function memberName({ displayName, memberId }: Member): string {
  return `${printableLine(displayName)} (${memberId})`;
}
