import { forget } from '../memory/forget.js';
import { recall } from '../memory/recall.js';
import { remember } from '../memory/remember.js';
import type { Tool } from '../tool.js';
import { askUser } from './ask-user.js';
import type { ChannelActs } from './channel-acts.js';
import { emitOutput } from './emit-output.js';
import { passTurn } from './pass-turn.js';
import { createReadChannelAsset } from './read-channel-asset.js';
import { createSendMessage, type SendMessage } from './send-message.js';
import { createSetChannelReaction } from './set-channel-reaction.js';

export interface TalkPorts {
  readonly sendMessage: SendMessage;
  readonly channels: Pick<ChannelActs, 'react' | 'readAsset'>;
}

/** How an agent speaks to whoever it works with, and what it remembers, whichever driver runs it. */
export function talkTools({ sendMessage, channels }: TalkPorts): Tool[] {
  return [
    askUser,
    emitOutput,
    passTurn,
    createSendMessage(sendMessage),
    createSetChannelReaction(channels),
    createReadChannelAsset(channels),
    remember,
    recall,
    forget,
  ];
}
