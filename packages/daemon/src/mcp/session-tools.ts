import type { Core } from '@stoa/core';
import type { Principal } from '@stoa/protocol';
import type { z } from 'zod';
import { type OfferedTool, offer, type ToolAnswer } from './offered-tool.js';
import { PostMessageInput } from './post-message-input.js';
import type { RunCalls } from './run-calls.js';

type Agent = typeof import('@stoa/agent');
type Session = Extract<Principal, { kind: 'session' }>;

const POST_MESSAGE = 'post_message';

/** The tools of a session on `/mcp`. */
export function sessionTools(
  core: Core,
  agent: Agent,
  calls: RunCalls,
  by: Session,
): OfferedTool[] {
  return [...calls.toolsOf(by.id), ...channelTools(core, agent, by)];
}

/** The names of these tools, which are the same for every session. */
export const sessionToolNames = (agent: Agent): ReadonlySet<string> =>
  new Set([
    ...agent.SESSION_TOOLS.map(({ name }) => name),
    agent.readChannelThread.name,
    POST_MESSAGE,
  ]);

/**
 * What a session does in channels with its own token, also outside a run. Outside a run nobody can be asked, so calls
 * that need an approval are refused.
 */
function channelTools(core: Core, agent: Agent, by: Session): OfferedTool[] {
  const { readChannelThread: readThread } = agent;
  return [
    offer<z.infer<Agent['ReadChannelThreadInput']>>({
      name: readThread.name,
      description: readThread.description,
      input: agent.ReadChannelThreadInput,
      isReading: true,
      async call(input): Promise<ToolAnswer> {
        await core.assertMayUse(by, { tool: 'read_channel_thread', kind: 'read' });
        const here = core.runner.contextOf(by.id)?.origin ?? {};
        try {
          const { channelId, messageId } = agent.threadLocation(input, here);
          const part = await core.channelActions(by).readThread({ channelId, messageId }, input);
          const text = agent.threadText(part, input);
          const source = `thread in channel ${channelId}`;
          return { text: agent.envelope({ source, ids: ['mcp', messageId], text }) };
        } catch (error) {
          if (!(error instanceof agent.ToolFailure)) throw error;
          return { text: error.message, isError: true };
        }
      },
    }),
    offer<z.infer<typeof PostMessageInput>>({
      name: POST_MESSAGE,
      description:
        'Posts a message to a channel you are a member of, outside a turn: it wakes nobody. In the ' +
        'channel of your turn it is refused: your answer is the message there.',
      input: PostMessageInput,
      isReading: false,
      async call({ channelId, idempotencyKey: key, ...request }) {
        await core.assertMayPost(by, channelId);
        const message = await core.channels.post(by, channelId, request, key);
        return { text: `Posted as ${message.messageId}.`, data: { message } };
      },
    }),
  ];
}
