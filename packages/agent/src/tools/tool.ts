import type { RunContext } from '@stoa/core';
import type { Approval, ToolKind } from '@stoa/protocol';
import type { z } from 'zod';
import type { LocatedPath, PathGuard } from './paths.js';
import type { Review } from './review.js';

/** What a call touches. Permission rules are matched against it. */
export type Subject =
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'url'; readonly host: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  /** Text for the standard input of a running command. */
  | { readonly type: 'input'; readonly text: string }
  | {
      readonly type: 'none';
      /** Only the person the session works for may read or change it. */
      readonly isPrivate?: boolean;
    };

export interface ToolEnvironment {
  readonly run: RunContext;
  readonly callId: string;
  /** Absolute, with links resolved. */
  readonly workspace: string;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/** The environment of a tool after its subjects were decided. */
export interface DecidedEnvironment extends ToolEnvironment {
  readonly paths: PathGuard;
  /** The file that a path led to when it was decided. Throws for paths that `subjects` did not name. */
  readonly located: (given: string) => LocatedPath;
  /** Whether a subject that comes up during the call, and is not a path, would run without approval. */
  readonly allows: (subject: Subject) => Promise<boolean>;
  /** Whether the tool may show a file below a decided directory: no rule about that file forbids it. */
  readonly mayShow: (path: string) => boolean;
  /** A person's answer to the question of this call. */
  readonly answer?: string | undefined;
}

export interface ToolOutput {
  /** For the model. The caller of the tool cuts text beyond the limit in the middle. */
  readonly text: string;
  readonly isError?: boolean;
  /** The agent has finished its turn without an answer. */
  readonly endsTurn?: boolean;
}

/** Asked before the tool runs, so that the question survives a restart. */
interface ToolQuestion {
  readonly question: string;
  readonly options?: NonNullable<Approval['options']>;
}

/** Kinds of tools that change nothing, so that the order of their calls does not matter. */
export const READ_ONLY_KINDS: ReadonlySet<ToolKind> = new Set(['read', 'search']);

/**
 * An action that agents can perform. `execute` runs only after exactly this input was permitted, and stops when
 * the signal aborts. It reports failures to the model in its output or by throwing a ToolFailure; any other
 * exception is a defect.
 */
export interface Tool<I = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** The schema that models get, if it does not follow from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly kind: ToolKind;
  /** One line for lists that describes the call. */
  title(input: I): string;
  subjects(
    input: I,
    environment: ToolEnvironment,
  ): readonly Subject[] | Promise<readonly Subject[]>;
  /** A ToolFailure ends the call. */
  review?(input: I, environment: DecidedEnvironment): Review | Promise<Review>;
  question?(input: I): ToolQuestion;
  execute(input: I, environment: DecidedEnvironment): ToolOutput | Promise<ToolOutput>;
}

/** Infers the type of the input from the schema. */
export function defineTool<I>(tool: Tool<I>): Tool {
  return tool;
}
