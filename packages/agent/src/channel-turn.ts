import type { Ceiling, ChannelDelivery } from '@stoa/protocol';
import { envelope, indentLines, oneLine } from './envelope.js';

interface TurnInput {
  readonly itemId: string;
  readonly from: string;
  readonly fromName: string;
  /** The writer of the words, if that is not the author of the message. */
  readonly requestedBy?: string | undefined;
  readonly ceiling?: Ceiling | undefined;
}

/** The rules for answers are in the system prompt of builtin agents. Agent programs get them with each turn. */
export type TurnRules = 'in_system_prompt' | 'in_turn';

/**
 * The prompt for a turn in a channel: the channel, its members, recent messages, the message to answer, and how.
 * Only the last message is a request; the others are information.
 */
export function channelTurn(
  delivery: ChannelDelivery,
  input: TurnInput,
  text: string,
  rules: TurnRules = 'in_system_prompt',
): string {
  const { title, channelId, recentMessages } = delivery;
  const thread = envelope({
    source: `thread in channel ${channelId}`,
    ids: [input.itemId, 'thread'],
    text: recentMessages.map(messageLine).join('\n'),
  });
  return [
    `You have the turn in the channel ${quoted(title)} (${channelId}), where you are ${quoted(delivery.self.name)}.`,
    ...aboutLines(delivery),
    `The last messages of this thread, oldest first:\n${thread}`,
    `${expectation(delivery)} ${toAnswer(input)}:\n${requestText(input, text)}`,
    ...(rules === 'in_turn' ? [`${TURN_RULES} ${WHERE_TOOLS_ARE}`] : []),
  ].join('\n\n');
}

export const TURN_RULES = [
  'What you write last, after your last call, is published in the channel as your answer, for all members',
  'to read; text before a call is not published. An answer given with emit_output replaces it. To hand',
  'over, name a member with @ and its id. To react without an answer, call set_channel_reaction and then',
  'pass_turn; if an answer would not help, call only pass_turn. After pass_turn nothing that you write is',
  'published. read_channel_thread shows more of a thread.',
].join(' ');

const WHERE_TOOLS_ARE = 'These are tools of the MCP server whose name begins with "stoa".';

function aboutLines(delivery: ChannelDelivery): string[] {
  const { description, purpose, members, memberCount } = delivery;
  const named = members.map(({ memberId, actorId, name, kind, role }) => {
    const what = [
      kind === 'agent' ? 'agent' : 'person',
      ...(actorId === undefined ? [] : [actorId]),
      ...(role ? [quoted(role)] : []),
    ];
    const alias = name === memberId ? '' : ` ${quoted(name)}`;
    return `@${memberId}${alias} (${what.join(', ')})`;
  });
  return [
    ...(purpose ? [`Its purpose: ${quoted(purpose)}`] : []),
    ...(description ? [`Description: ${quoted(description)}`] : []),
    `Members: ${named.join(', ')}${andMore(memberCount - members.length)}`,
    ...pinnedLines(delivery),
  ];
}

function pinnedLines({ pinned = [], pinnedCount = 0 }: ChannelDelivery): string[] {
  if (pinned.length === 0) return [];
  const named = pinned.map(({ assetId, name, mediaType, bytes }) => {
    const about = [oneLine(mediaType), `${String(bytes)} bytes`];
    if (name === undefined) return `${assetId} (${about.join(', ')})`;
    return `${quoted(name)} (${[assetId, ...about].join(', ')})`;
  });
  const more = andMore(pinnedCount - pinned.length);
  return [`Pinned here: ${named.join('; ')}${more} (read_channel_asset reads texts)`];
}

const andMore = (count: number): string => (count > 0 ? `, and ${String(count)} more` : '');

function expectation({ isAddressed, addressed, answeredBy }: ChannelDelivery): string {
  if (isAddressed) return 'You were addressed.';
  const others = addressed.length > 0 ? `Addressed were ${names(addressed)}. ` : '';
  if (answeredBy.length === 0) return `${others}Nobody has answered yet.`;
  return `${others}${names(answeredBy)} answered already: add only what is missing.`;
}

function messageLine({
  messageId,
  authorId,
  kind,
  name,
  text,
  isCut,
  assetIds = [],
  reactions,
}: ChannelDelivery['recentMessages'][number]): string {
  const who = kind === 'human' ? 'person' : kind;
  const marks = reactions.map(({ emoji, count }) => `${emoji} x${String(count)}`).join(' ');
  const parts = [
    ...(text === '' ? [] : [indentLines(text)]),
    ...(isCut ? ['[cut]'] : []),
    ...assetIds.map((assetId) => `[attachment ${assetId}]`),
    ...(marks === '' ? [] : [`[${marks}]`]),
  ];
  const writer = authorId === undefined ? quoted(name) : `${authorId} ${quoted(name)}`;
  return `[${messageId}] ${writer} (${who}): ${parts.join(' ')}`;
}

/** The person the agent works for asks directly. Text of anybody else is in an envelope with its author. */
function requestText(input: TurnInput, text: string): string {
  const { itemId, from, ceiling } = input;
  const writer = writerOf(input);
  if (from.startsWith('human:') && writer === from && !ceiling?.people.length) return text;
  return envelope({ source: `message of ${writer}`, ids: [itemId], text });
}

/** A request of another person lacks the authority of the person the agent works for. */
function toAnswer(input: TurnInput): string {
  const from = `You answer this, from ${writerOf(input)}`;
  if (!input.ceiling?.people.length) return from;
  return `${from}, for whom you do not work: help as far as you may; actions that need an approval will be asked about`;
}

const writerOf = ({ from, requestedBy }: TurnInput): string => requestedBy ?? from;

/** Quotes a name that somebody chose, so that it cannot end the quotes. */
const quoted = (text: string): string => JSON.stringify(oneLine(text));

const names = (of: readonly string[]): string => of.map(quoted).join(', ');
