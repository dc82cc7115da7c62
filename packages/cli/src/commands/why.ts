import { decisionWords, leaseHolders, StoaProblem, verdictWords } from '@stoa/client';
import type { Member, Message, StampedDecision } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { decisionText } from '../terminal/decision-text.js';
import { messageText } from '../terminal/message-text.js';
import { printableLine } from '../terminal/printable.js';
import { clockTime } from '../terminal/times.js';

export interface WhyOptions extends GlobalFlags {
  readonly channel?: string;
  /** Only what was decided about this one. */
  readonly member?: string;
  readonly limit: number;
}

/** Shows why the members of a thread spoke, or did not: its decisions, oldest first. */
export async function why(
  context: Context,
  [messageId = '']: readonly string[],
  { channel, limit, member }: WhyOptions,
): Promise<void> {
  const { messages, turns } = context.client;
  const message = await (channel === undefined
    ? messages.find(messageId)
    : messages.get(channel, messageId));
  const { channelId } = message;
  const rootMessageId = message.threadRootMessageId ?? message.messageId;
  const decisions: StampedDecision[] = [];
  for await (const page of turns.decisions.pages(channelId, rootMessageId)) {
    decisions.push(...page.decisions);
    if (decisions.length > limit && knowsHolders(decisions, limit)) break;
  }
  const shown = decisions.slice(0, limit).reverse();
  const outdated = await outdatedIn(context, shown);
  if (context.flags.json) {
    const definitionChanged = [...outdated.values()];
    context.json({ channelId, rootMessageId, decisions: shown, definitionChanged });
  } else {
    await show(context, message, shown, leaseHolders(decisions), member);
    for (const [memberId, sessionId] of outdated) {
      const line = `${memberId}: definition changed: stoa session refresh ${sessionId}`;
      context.line(printableLine(line));
    }
  }
  if (decisions.length > limit && !context.flags.json)
    context.say('there are earlier decisions: --limit');
}

const MAX_LOOKUPS = 20;

/** Sessions that were given a turn and do not have the present definition of their agent yet, by member. */
async function outdatedIn(
  { client }: Context,
  decisions: readonly StampedDecision[],
): Promise<ReadonlyMap<string, string>> {
  const granted = decisions.flatMap((decision) => decision.granted);
  const sessions = new Map(granted.map(({ memberId, sessionId }) => [memberId, sessionId]));
  const outdated = new Map<string, string>();
  for (const [memberId, sessionId] of [...sessions].slice(-MAX_LOOKUPS)) {
    // A session of somebody else is not shown; it is not for the caller to refresh either.
    const session = await client.sessions.get(sessionId).catch(unlessRefused);
    if (session?.definitionChanged === true) outdated.set(memberId, sessionId);
  }
  return outdated;
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof StoaProblem)) throw error;
}

/** Whose turn ended was decided before, and that may lie before what is shown. */
function knowsHolders(newestFirst: readonly StampedDecision[], limit: number): boolean {
  const holders = leaseHolders(newestFirst);
  return newestFirst
    .slice(0, limit)
    .every(({ ended, renewed }) =>
      [...ended, ...renewed].every(({ leaseId }) => holders.has(leaseId)),
    );
}

async function show(
  context: Context,
  message: Message,
  decisions: readonly StampedDecision[],
  holders: ReadonlyMap<string, string>,
  member: string | undefined,
): Promise<void> {
  const { paint, io, client } = context;
  const { channelId } = message;
  context.line(messageText(message, { paint, now: io.now(), ids: true }));
  if (decisions.length === 0) {
    context.line(await whyNothing(context, message));
    return;
  }
  const members = await client.members.list(channelId);
  const style = {
    paint,
    now: io.now(),
    width: io.columns,
    names: new Map(members.map(({ memberId, displayName }) => [memberId, displayName])),
    holders,
  };
  if (member === undefined) {
    for (const decision of decisions) context.line(decisionText(decision, style));
    return;
  }
  const meant = memberCalled(members, member, channelId);
  const timeOf = (at: number): string => clockTime(at, style.now);
  for (const decision of decisions) {
    const { trigger } = decisionWords(decision, { ...style, timeOf });
    const verdict = verdictWords(decision, meant.memberId);
    const line = `${trigger}: ${meant.displayName} ${verdict}`;
    context.line(`${paint.dim(timeOf(decision.at))} ${printableLine(line)}`);
  }
}

function memberCalled(members: readonly Member[], name: string, channelId: string): Member {
  const wanted = name.replace(/^@/, '').toLowerCase();
  const meant =
    members.find(({ memberId }) => memberId.toLowerCase() === wanted) ??
    members.find(({ displayName }) => displayName.toLowerCase() === wanted);
  if (meant) return meant;
  throw new UsageError(`There is no member ${name} in ${channelId}`);
}

async function whyNothing({ client }: Context, { channelId }: Message): Promise<string> {
  const members = await client.members.list(channelId);
  const hasAgents = members.some(({ memberKind }) => memberKind === 'session');
  return hasAgents
    ? 'There are no decisions about this thread: no person has posted in it since an agent joined.'
    : `No agent is a member of ${channelId}. Add one: stoa channel invite ${channelId} AGENT`;
}
