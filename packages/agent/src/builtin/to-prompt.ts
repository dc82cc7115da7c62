import type {
  JSONValue,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { AssistantPart } from '@stoa/protocol';
import type { ModelMessage, ModelRequest } from './model-client.js';

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];

/**
 * Marks where Anthropic's cache ends: after the system prompt, which is the same for the whole session, and after the newest
 * message, because the next request begins with the same messages. Other providers ignore it.
 */
const CACHED: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export function toPrompt(
  { system, messages }: ModelRequest,
  provider: string,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [
    { role: 'system', content: system, providerOptions: CACHED },
  ];
  for (const message of messages) {
    const converted = toMessage(message, provider);
    if (converted.content.length > 0) prompt.push(converted);
  }
  const last = prompt.at(-1);
  if (last) last.providerOptions = CACHED;
  return prompt;
}

export function toTools({ tools }: ModelRequest): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    inputSchema,
  }));
}

function toMessage(message: ModelMessage, provider: string): LanguageModelV3Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: message.parts.map((part) =>
          part.type === 'text'
            ? { type: 'text', text: part.text }
            : { type: 'file', mediaType: part.mediaType, data: part.bytes },
        ),
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.parts.flatMap((part) => toContent(part, message.provider === provider)),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ callId, tool, output, isError }) => ({
          type: 'tool-result',
          toolCallId: callId,
          toolName: toolName(tool),
          output: { type: isError ? 'error-text' : 'text', value: output === '' ? ' ' : output },
        })),
      };
  }
}

/** Omits the reasoning of other providers. */
function toContent(part: AssistantPart, isOwn: boolean): AssistantContent {
  const own =
    isOwn && part.provider !== undefined
      ? { providerOptions: part.provider as SharedV3ProviderOptions }
      : {};
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...own }];
    case 'reasoning':
      return isOwn ? [{ type: 'reasoning', text: part.text, ...own }] : [];
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.callId,
          toolName: toolName(part.tool),
          input: asObject(part.input),
          ...own,
        },
      ];
  }
}

/** Providers reject some names that models invent. */
const toolName = (name: string): string =>
  name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

/** Providers accept only objects as arguments. */
function asObject(input: JSONValue | undefined): unknown {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? input : { invalid_arguments: input ?? null };
}
