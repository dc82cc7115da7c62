import type { AssistantPart } from '@stoa/protocol';
import type { ToolDescription } from '../call-tools.js';

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: Uint8Array };

/** The conversation as every provider can be told it. Each assistant's calls are followed by results. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | {
      readonly role: 'assistant';
      /** Who said it: only they get back what is theirs in the parts. */
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

/** Tokens as the provider counts them; absent is unknown. */
export interface ModelUsage {
  readonly input: number | undefined;
  /** Of the input, what came from and went into the provider's cache. */
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly output: number | undefined;
}

export interface ModelAnswer {
  /** As the model gave them: call ids may repeat, arguments that are no JSON stand as text. */
  readonly parts: readonly AssistantPart[];
  readonly finishReason: string;
  readonly usage: ModelUsage;
}

export interface ModelListener {
  /** The first bytes of an answer are there; what comes next waits for it. */
  begun(): Promise<void>;
  /** Anything of the answer has arrived, shown or not. */
  heard?(): void;
  text(text: string): void;
  /** A piece of the arguments of a call that the model is writing. */
  callInput?(callId: string, tool: string, piece: string): void;
}

/**
 * One model of one provider. `ask` asks once: whoever calls it tries again. It rejects with a
 * ModelFailure, or with the signal's reason.
 */
export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  ask(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelAnswer>;
}
