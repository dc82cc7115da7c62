import { ndJsonStream } from '@agentclientprotocol/sdk';
import { AcpAgent, type AcpChoices } from '../acp/acp-agent.js';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';

export interface AcpOptions extends GlobalFlags, AcpChoices {}

/** How long a daemon has to answer that what was under way is cancelled. */
const LEAVE_MS = 5_000;

/** Speaks the Agent Client Protocol with an editor until that closes the pipe. */
export async function acp(
  context: Context,
  _args: readonly string[],
  { agent, session, mode }: AcpOptions,
): Promise<void> {
  if (session !== undefined && (agent !== undefined || mode !== undefined)) {
    throw new UsageError(
      'the session already has an agent and a mode',
      'omit --agent and --mode; change its mode with: stoa session mode',
    );
  }
  // An editor that dies closes both pipes: what is under way is to be cancelled first.
  context.io.outliveReaders();
  const pipes = context.io.pipes();
  const served = new AcpAgent(context, { agent, session, mode });
  const connection = served.app().connect(ndJsonStream(pipes.output, pipes.input));
  const forget = context.io.onInterrupt(() => connection.close());
  try {
    await connection.closed.catch(() => undefined);
    await within(LEAVE_MS, served.close());
  } finally {
    forget();
    pipes.close();
  }
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
