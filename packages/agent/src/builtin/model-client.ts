import type { AssistantPart } from '@stoa/protocol';
import type { ToolDescription } from '../call-tools.js';

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: Uint8Array };

/** A message in the form common to all providers. The calls of an assistant are followed by their results. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | {
      readonly role: 'assistant';
      /** Only this provider gets its own data in the parts back. */
      readonly provider: string | undefined;
      readonly parts: readonly AssistantPart[];
    }
  | {
      readonly role: 'tool';
      readonly results: readonly {
        readonly callId: string;
        readonly tool: string;
        readonly output: string;
        readonly isError: boolean;
      }[];
    };

export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly ModelMessage[];
  readonly maxOutputTokens: number | undefined;
}

/** Tokens as counted by the provider; undefined if unknown. */
export interface ModelUsage {
  readonly input: number | undefined;
  /** The part of the input that was read from or written to the provider's cache. */
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly output: number | undefined;
}

export interface ModelAnswer {
  /** Unchanged: call ids may repeat, and arguments that are not JSON are text. */
  readonly parts: readonly AssistantPart[];
  readonly finishReason: string;
  readonly usage: ModelUsage;
}

export interface ModelListener {
  /** The answer has begun. The rest of it waits for the promise. */
  begun(): Promise<void>;
  /** A part of the answer has arrived, shown or not. */
  received?(): void;
  text(text: string): void;
  /** The model has written a piece of the arguments of a call. */
  callInput?(callId: string, tool: string, piece: string): void;
}

/**
 * One model of one provider. `ask` sends one request without retries. It rejects with a ModelFailure, or with the signal's
 * reason.
 */
export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  ask(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelAnswer>;
}
