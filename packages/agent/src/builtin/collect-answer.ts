import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import type { AssistantPart } from '@stoa/protocol';
import type { JsonValue } from '../json-value.js';
import type { ModelAnswer, ModelUsage } from './model-client.js';

interface Draft {
  readonly type: 'text' | 'reasoning' | 'tool_call';
  text: string;
  callId: string;
  tool: string;
  /** Whether a call has all of its arguments. */
  isComplete: boolean;
  provider: SharedV3ProviderMetadata | undefined;
}

/** Assembles a streamed answer. Its parts are in the order in which they began. */
export class AnswerCollector {
  readonly #drafts: Draft[] = [];
  readonly #byId = new Map<string, Draft>();
  #finish: { readonly reason: string; readonly usage: ModelUsage } | undefined;

  add(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        this.#begin(`${type} ${part.id}`, type, part.providerMetadata);
        return;
      }
      case 'text-delta':
      case 'text-end':
        this.#extend('text', part);
        return;
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend('reasoning', part);
        return;
      case 'tool-input-start':
        this.#begin(`call ${part.id}`, 'tool_call', part.providerMetadata);
        return;
      case 'tool-call': {
        const key = `call ${part.toolCallId}`;
        const known = this.#byId.get(key);
        const draft =
          known && !known.isComplete ? known : this.#begin(key, 'tool_call', part.providerMetadata);
        draft.text = part.input;
        draft.callId = part.toolCallId;
        draft.tool = part.toolName;
        draft.isComplete = true;
        draft.provider = part.providerMetadata ?? draft.provider;
        return;
      }
      case 'finish': {
        const { inputTokens, outputTokens } = part.usage;
        this.#finish = {
          reason: part.finishReason.unified,
          usage: {
            input: inputTokens.total,
            cacheRead: inputTokens.cacheRead,
            cacheWrite: inputTokens.cacheWrite,
            output: outputTokens.total,
          },
        };
        return;
      }
      default:
        return;
    }
  }

  /** Undefined if the stream ended before the answer was complete. */
  answer(): ModelAnswer | undefined {
    if (!this.#finish || this.#finish.reason === 'error') return undefined;
    const { reason, usage } = this.#finish;
    return { parts: this.#drafts.flatMap(partOf), finishReason: reason, usage };
  }

  #begin(key: string, type: Draft['type'], provider: Draft['provider']): Draft {
    const draft = { type, text: '', callId: '', tool: '', isComplete: false, provider };
    this.#drafts.push(draft);
    this.#byId.set(key, draft);
    return draft;
  }

  #extend(
    type: 'text' | 'reasoning',
    part: { id: string; delta?: string; providerMetadata?: SharedV3ProviderMetadata },
  ): void {
    const key = `${type} ${part.id}`;
    const draft = this.#byId.get(key) ?? this.#begin(key, type, undefined);
    draft.text += part.delta ?? '';
    draft.provider = part.providerMetadata ?? draft.provider;
  }
}

function partOf({ type, text, callId, tool, isComplete, provider }: Draft): AssistantPart[] {
  const own = provider === undefined ? {} : { provider: provider as JsonValue };
  if (type === 'tool_call')
    return isComplete ? [{ type, callId, tool, input: inputOf(text), ...own }] : [];
  const clean = storable(text);
  return clean === '' && provider === undefined ? [] : [{ type, text: clean, ...own }];
}

/** Arguments that are not JSON remain text. */
function inputOf(text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(storable(text)) as JsonValue;
  } catch {
    return storable(text);
  }
}

/** Removes what a store cannot keep: lone surrogates and NUL characters. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');
