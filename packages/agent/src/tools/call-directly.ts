import type { CallToOpen } from './call-environment.js';
import { clear, Denied } from './clearance.js';
import type { ToolOutput } from './tool.js';
import { ToolFailure } from './tool-failure.js';

export interface DirectCall extends CallToOpen {
  /** Asked when people have allowed it: whether anybody still waits for it to happen. */
  readonly isWanted: () => boolean;
}

/**
 * Carries out a call that reached Stoa past the driver: an agent that is a program of its own made it
 * over MCP. It is cleared like any other. It is not journaled as a call, because the agent reports it
 * to its driver as one of its own; what it does is. Throws a StoaError when Stoa refuses it.
 */
export async function callDirectly(call: DirectCall): Promise<ToolOutput> {
  try {
    const { input, environment } = await clear({ ...call, unparsable: () => undefined });
    if (!call.isWanted())
      throw new ToolFailure('Nobody waited for it any more; it did not happen.');
    return await call.tool.execute(input, environment);
  } catch (error) {
    if (error instanceof Denied || error instanceof ToolFailure) {
      return { text: error.message, isError: true };
    }
    throw error;
  }
}
