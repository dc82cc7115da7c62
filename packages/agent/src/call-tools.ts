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
  readonly output: string;
  /** The agent has said what it had to say: nothing more is asked of it in this run. */
  readonly endsTurn?: boolean;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/**
 * How a driver uses tools. Promises: permissions are decided and every call and its result is in the
 * journal; the results come in the order of the calls; it rejects only when the run is over.
 */
export interface CallTools {
  /** What this run may use, always in the same order. */
  describe(run: RunContext): Promise<readonly ToolDescription[]>;
  /** Whether a call of this tool, which touches nothing of the machine, would run without asking people. */
  runsUnasked(run: RunContext, tool: string): Promise<boolean>;
  /** What the agent asked for in one step; runs side by side where that is safe. */
  callAll(run: RunContext, calls: readonly RequestedCall[]): Promise<readonly CallResult[]>;
}
