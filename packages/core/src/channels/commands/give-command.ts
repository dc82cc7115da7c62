import {
  actorIdOf,
  channelTopic,
  type Message,
  type Metadata,
  type PostMessage,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import type { Tx } from '@stoa/store';
import { dataOf } from '../../kernel/codec.js';
import type { LogEntry } from '../../kernel/entry.js';
import { idempotency } from '../../kernel/idempotency.js';
import type { Decision } from '../../kernel/log.js';
import { assertNotArchived, channelToSpeakIn } from '../channel-gate.js';
import type { ChannelContext } from '../context.js';
import { type Posted, publishMessage } from '../publish-message.js';
import { postedRecord } from '../records.js';
import { placeInThread } from '../thread.js';
import { commandCalled } from './commands.js';
import { parseSlash, type Slash } from './parse-slash.js';

const AUTHOR = { kind: 'system', id: 'system', displayName: 'Stoa' } as const;
const LINE_CHARS = 2_000;

/** What a post of a person is when its words begin with a slash. What agents write are words. */
export function slashIn(by: Principal, { text, inputItems }: PostMessage): Slash | undefined {
  if (by.kind !== 'human') return undefined;
  const [first, ...more] = inputItems ?? [];
  const slash = parseSlash(text ?? (first?.type === 'text' ? first.text : ''));
  if (slash?.type === 'command' && more.length > 0) {
    throw new StoaError('invalid_request', 'A command stands alone, without other items');
  }
  return slash;
}

/** The post with these words in place of its first ones. */
export function withText(request: PostMessage, text: string): PostMessage {
  if (request.text !== undefined) return { ...request, text };
  const [, ...more] = request.inputItems ?? [];
  return { ...request, inputItems: [{ type: 'text', text }, ...more] };
}

export interface GivenCommand {
  readonly slash: Extract<Slash, { type: 'command' }>;
  readonly request: PostMessage;
  readonly metadata: Metadata;
  readonly key: string | undefined;
}

/**
 * Does what a person wrote as a command. The command itself is not kept as a message: what it did is told to
 * everybody in one line of the system, in the commit that did it, and wakes nobody.
 */
export function giveCommand(
  context: ChannelContext,
  by: Principal,
  channelId: string,
  { slash, request, metadata, key }: GivenCommand,
): Promise<Message> {
  const command = commandCalled(slash.name, slash.rest);
  const topic = channelTopic(channelId);
  return context.log.write({
    actor: actorIdOf(by),
    lane: topic,
    open: () => channelToSpeakIn(by, channelId),
    *decide(channel, at): Tx<Decision<Message>> {
      assertNotArchived(channel);
      const place = yield* placeInThread(channel.topicId, request);
      const { threadRootMessageId } = place;
      const { rest } = slash;
      const call = { context, by, channel, threadRootMessageId, rest, at };
      const told = command.run(call);
      const { line, events = [] } = 'next' in told ? yield* told : told;
      const published = yield* publishMessage(channel, {
        messageId: context.ids.next('msg'),
        ...place,
        author: AUTHOR,
        addressedMemberIds: [],
        inputItems: [{ type: 'text', text: oneLine(line) }],
        metadata,
      });
      return {
        events: [...published.events, ...events],
        answer: ([entry]) => answerOf(channelId, entry as LogEntry, published.posted),
      };
    },
    idempotency: idempotency(context.secrets, key, { post: channelId, request }, (entry) =>
      answerOf(channelId, entry, dataOf('message_posted', entry)),
    ),
  });
}

const answerOf = (channelId: string, { seq, at }: LogEntry, posted: Posted): Message =>
  postedRecord(channelId, seq, at, posted);

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS - 1).toWellFormed()}…`;
}
