import type { RunContext } from '@stoa/core';
import type { ToolOutcome } from '@stoa/protocol';
import type { JsonValue } from './json-value.js';

export interface RequestedCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonValue;
}

export interface CallResult {
  readonly callId: string;
  readonly outcome: ToolOutcome;
  /** As stored in the journal. */
  readonly output: string;
  /** The agent has finished its turn: the run does not ask it again. */
  readonly endsTurn?: boolean;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/**
 * How a driver uses tools. Permissions are decided, and every call and result is journaled. Results have the order
 * of the calls. Rejects only if the run is over.
 */
export interface CallTools {
  /** The tools of a run, always in the same order. */
  describe(run: RunContext): Promise<readonly ToolDescription[]>;
  /** Whether a call of this tool without a subject would run without approval. */
  runsWithoutApproval(run: RunContext, tool: string): Promise<boolean>;
  /** Carries out the calls of one step, in parallel where that is safe. */
  callAll(run: RunContext, calls: readonly RequestedCall[]): Promise<readonly CallResult[]>;
}
