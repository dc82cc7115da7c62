import { decide, type RunActions } from '@stoa/core';
import type { WorkspaceRun } from '@stoa/testkit';
import type { Tool } from './tool.js';
import { type ToolCallResult, ToolRunner } from './tool-runner.js';

/** Calls tools like the model of a run, each call with its own id. `actions` replace those of the run. */
export function toolCalls(
  world: WorkspaceRun,
  tools: readonly Tool[],
  actions: Partial<RunActions> = {},
): (tool: string, input: unknown) => Promise<ToolCallResult> {
  const runner = new ToolRunner({
    tools,
    decide,
    home: world.home,
    now: () => performance.now(),
    diagnose: () => undefined,
  });
  let calls = 0;
  return (tool, input) => {
    calls += 1;
    const run = { ...world.context, ...actions };
    return runner.call({ run, callId: `call_${String(calls)}`, tool, input });
  };
}
