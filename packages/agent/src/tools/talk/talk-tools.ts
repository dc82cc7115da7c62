import { recall } from '../memory/recall.js';
import { remember } from '../memory/remember.js';
import type { Tool } from '../tool.js';
import { askUser } from './ask-user.js';
import { emitOutput } from './emit-output.js';
import { passTurn } from './pass-turn.js';
import { createSendMessage, type SendMessage } from './send-message.js';

/** How an agent speaks to whoever it works with, and what it remembers, whichever driver runs it. */
export function talkTools(sendMessage: SendMessage): Tool[] {
  return [askUser, emitOutput, passTurn, createSendMessage(sendMessage), remember, recall];
}
