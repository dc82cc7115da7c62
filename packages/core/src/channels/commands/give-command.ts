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
import { oneLine } from '../../kernel/short-text.js';
import { assertNotArchived, channelToSpeakIn } from '../channel-gate.js';
import type { ChannelContext } from '../context.js';
import { publishMessage, SYSTEM_AUTHOR } from '../publish-message.js';
import { postedRecord } from '../records.js';
import { resolveThread } from '../thread.js';
import { commandCalled } from './commands.js';
import { parseSlash, type Slash } from './parse-slash.js';

const LINE_CHARS = 2_000;

/** Parses a post of a person that begins with a slash. Agents cannot give commands. */
export function slashIn(by: Principal, { text, inputItems }: PostMessage): Slash | undefined {
  if (by.kind !== 'human') return undefined;
  const [first, ...more] = inputItems ?? [];
  const slash = parseSlash(text ?? (first?.type === 'text' ? first.text : ''));
  if (slash?.type === 'command' && more.length > 0) {
    throw new StoaError('invalid_request', 'A command cannot have other items');
  }
  return slash;
}

/** The request with another text. */
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
 * Carries out a command and posts its result as a message of the system, which opens no turn, in one commit. The
 * command itself is not stored as a message.
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
      const thread = yield* resolveThread(channel.topicId, request);
      const { threadRootMessageId } = thread;
      const { rest } = slash;
      const call = { context, by, channel, threadRootMessageId, rest, at };
      const result = command.run(call);
      const { line, events = [] } = 'next' in result ? yield* result : result;
      const published = yield* publishMessage(channel, {
        messageId: context.ids.next('msg'),
        ...thread,
        author: SYSTEM_AUTHOR,
        addressedMemberIds: [],
        inputItems: [{ type: 'text', text: oneLine(line, LINE_CHARS) }],
        metadata,
      });
      return {
        events: [...published.events, ...events],
        answer: ([entry]) => postedRecord(channelId, entry as LogEntry, published.posted),
      };
    },
    idempotency: idempotency(context.secrets, key, { post: channelId, request }, (entry) =>
      postedRecord(channelId, entry, dataOf('message_posted', entry)),
    ),
  });
}
