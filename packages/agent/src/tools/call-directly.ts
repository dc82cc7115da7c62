import type { CallToOpen } from './call-environment.js';
import { clear, Denied } from './clearance.js';
import type { ToolOutput } from './tool.js';
import { ToolFailure } from './tool-failure.js';

export interface DirectCall extends CallToOpen {
  /** Checked after people have allowed the call: whether the caller still waits for it. */
  readonly isWanted: () => boolean;
}

/**
 * Carries out a call that an agent program made over MCP, not through its driver. It needs the same permission as
 * any other call. It is not journaled as a call, because the program reports its calls to its driver; its effects
 * are journaled. Throws a StoaError if Stoa refuses it.
 */
export async function callDirectly(call: DirectCall): Promise<ToolOutput> {
  try {
    const { input, environment } = await clear({ ...call, unparsable: () => undefined });
    if (!call.isWanted()) {
      throw new ToolFailure('The caller no longer waited for this call; it did not run.');
    }
    return await call.tool.execute(input, environment);
  } catch (error) {
    if (error instanceof Denied || error instanceof ToolFailure) {
      return { text: error.message, isError: true };
    }
    throw error;
  }
}
