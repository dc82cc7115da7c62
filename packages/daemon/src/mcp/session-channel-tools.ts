import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';
import type { z } from 'zod';
import { readThreadAs } from '../runtime/channel-acts.js';
import { assertMayPost } from '../runtime/may-post.js';
import { type OfferedTool, offer, type ToolAnswer } from './offered-tool.js';
import { PostMessageInput } from './post-message-input.js';

type Agent = typeof import('@stoa/agent');
type Session = Extract<Principal, { kind: 'session' }>;

/**
 * What a session does in channels with its own token, whether or not a run of it is under way. Nobody
 * can be asked outside a run: what the rules would ask about is refused.
 */
export function sessionChannelTools(core: Core, agent: Agent, by: Session): OfferedTool[] {
  return [
    offer<z.infer<Agent['ReadChannelThreadInput']>>({
      ...agent.READ_CHANNEL_THREAD,
      input: agent.ReadChannelThreadInput,
      isReading: true,
      async call(input): Promise<ToolAnswer> {
        await core.assertMayUse(by, { tool: 'read_channel_thread', kind: 'read' });
        const here = core.runner.contextOf(by.id)?.origin ?? {};
        try {
          const place = agent.placeOf(input, here);
          const text = agent.threadText(await readThreadAs(core, by, place, input), input);
          const source = `thread in channel ${place.channelId}`;
          return { text: agent.envelope({ source, ids: ['mcp', place.messageId], text }) };
        } catch (error) {
          if (!(error instanceof agent.ToolFailure)) throw error;
          return { text: error.message, isError: true };
        }
      },
    }),
    offer<z.infer<typeof PostMessageInput>>({
      name: 'post_message',
      description:
        'Posts a message to a channel you are a member of, outside a turn: it wakes nobody. In the ' +
        'channel of your turn it is refused: your answer is the message there.',
      input: PostMessageInput,
      isReading: false,
      async call({ channelId, idempotencyKey: key, ...request }) {
        await assertMayPost(core, by, channelId);
        const message = await core.channels.post(by, channelId, request, key);
        return { text: `Posted as ${message.messageId}.`, data: { message } };
      },
    }),
  ];
}
