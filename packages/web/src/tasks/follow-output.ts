import { type Client, StoaProblem } from '@stoa/client';
import { TerminalText } from './terminal-text.js';

export interface ShownOutput {
  /** `none`: this task has nothing to read. `away`: nobody answers now, and it is asked again. */
  readonly state: 'loading' | 'following' | 'complete' | 'none' | 'failed' | 'away';
  readonly text: string;
  /** Whether something before it is not shown. */
  readonly isCut: boolean;
}

/** What is read at first: a look at the end, however long it is. */
const TAIL_BYTES = 131_072;
const WAIT_MS = 20_000;
const POLL_MS = 1_000;

/** Reads the end of what a task put out and what comes after it, until all of it was read or the signal aborts. */
export async function followOutput(
  tasks: Pick<Client['tasks'], 'output'>,
  taskId: string,
  isLive: boolean,
  signal: AbortSignal,
  show: (output: ShownOutput) => void,
): Promise<void> {
  const terminal = new TerminalText();
  let offset: number | undefined;
  const tell = (state: ShownOutput['state']): void => {
    if (!signal.aborted) show({ state, text: terminal.text, isCut: terminal.isCut });
  };
  while (!signal.aborted) {
    try {
      if (offset === undefined) {
        const { size } = await tasks.output(taskId, { limit: 4 }, { signal });
        offset = Math.max(0, size - TAIL_BYTES);
        if (offset > 0) terminal.leaveOutBeginning();
        // Report it now: the next answer only comes with new output.
        if (size === 0) tell('following');
      }
      const part = await tasks.output(taskId, { offset, waitMs: isLive ? WAIT_MS : 0 }, { signal });
      if (part.offset > offset) terminal.leaveOutBeginning();
      offset = part.nextOffset;
      terminal.write(part.text);
      tell(part.isComplete ? 'complete' : 'following');
      if (part.isComplete) return;
    } catch (error) {
      const code = error instanceof StoaProblem ? error.code : undefined;
      const isTemporary = code === 'daemon_unreachable' || code === 'shutting_down';
      if (!isTemporary) {
        tell(code === 'task_without_output' ? 'none' : 'failed');
        return;
      }
      tell('away');
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
