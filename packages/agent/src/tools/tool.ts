import type { RunContext } from '@stoa/core';
import type { Approval, ToolKind } from '@stoa/protocol';
import type { z } from 'zod';
import type { PathGuard, Place } from './paths.js';
import type { Review } from './review.js';

/** What a permission is asked for: what the rules are matched against. */
export type Subject =
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'url'; readonly host: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  /** Text for the standard input of a command that runs. */
  | { readonly type: 'input'; readonly text: string }
  | {
      readonly type: 'none';
      /** It reaches what only the person the session works for may read or change. */
      readonly isPrivate?: boolean;
    };

/** What a tool works with: the run it belongs to, and the limits it keeps to. */
export interface ToolEnvironment {
  readonly run: RunContext;
  readonly callId: string;
  /** Absolute, with links resolved. */
  readonly workspace: string;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/** What a tool works with once its subjects were decided about. */
export interface DecidedEnvironment extends ToolEnvironment {
  readonly paths: PathGuard;
  /** Where a path led when it was decided about; only what `subjects` named has a place. */
  readonly place: (given: string) => Place;
  /** Whether something that comes up only now, and is no path, would run without asking. */
  readonly allows: (subject: Subject) => Promise<boolean>;
  /** Whether a file found below a place may be shown: no rule of its own closes it. */
  readonly isOpen: (path: string) => boolean;
  /** What a person answered to the question of this call. */
  readonly answer?: string | undefined;
}

export interface ToolOutput {
  /** What the model reads. Longer than the limit is cut in the middle by who calls the tool. */
  readonly text: string;
  readonly isError?: boolean;
  /** The agent is done with its turn and has nothing to say. */
  readonly endsTurn?: boolean;
}

/** Something people are asked before the tool runs, so that the question survives a restart. */
export interface ToolQuestion {
  readonly question: string;
  readonly options?: NonNullable<Approval['options']>;
}

/**
 * Something an agent can do. Promises: `execute` runs only after the permission was decided for exactly
 * this input; it stops when the signal aborts; it throws only for defects, and tells the model in words
 * what did not work (as its output, or by throwing a ToolFailure).
 */
export interface Tool<I = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** What a model is told of the input, where that does not follow from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly kind: ToolKind;
  /** One line for lists: what this call is about to do. */
  title(input: I): string;
  subjects(input: I, environment: ToolEnvironment): Promise<readonly Subject[]>;
  /** What a reviewer should see beside the arguments. A ToolFailure ends the call. */
  review?(input: I, environment: DecidedEnvironment): Promise<Review>;
  question?(input: I): ToolQuestion;
  execute(input: I, environment: DecidedEnvironment): Promise<ToolOutput>;
}

/** Fixes the input type from the schema; the runner never gives a tool an input that does not fit it. */
export function defineTool<I>(tool: Tool<I>): Tool {
  return tool;
}
