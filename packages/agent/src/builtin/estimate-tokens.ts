import type { ModelMessage, ModelRequest } from './model-client.js';

const CHARS_PER_TOKEN = 4;
/** The usual price of an image. */
const IMAGE_TOKENS = 1_600;
const MESSAGE_TOKENS = 4;

/** Estimates from the length, rather too high than too low: a character outside ASCII may be a token. */
export function estimateText(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) wide += 1;
  return Math.ceil((text.length - wide) / CHARS_PER_TOKEN) + wide;
}

function estimateMessage(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return message.parts.reduce(
        (sum, part) => sum + (part.type === 'text' ? estimateText(part.text) : IMAGE_TOKENS),
        MESSAGE_TOKENS,
      );
    case 'assistant':
      return message.parts.reduce(
        (sum, part) =>
          sum +
          estimateText(
            part.type === 'tool_call' ? part.tool + JSON.stringify(part.input) : part.text,
          ),
        MESSAGE_TOKENS,
      );
    case 'tool':
      return message.results.reduce(
        (sum, { output }) => sum + estimateText(output) + MESSAGE_TOKENS,
        0,
      );
  }
}

export function estimateRequest({ system, tools, messages }: ModelRequest): number {
  const fixed = estimateText(system) + estimateText(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + estimateMessage(message), fixed);
}
