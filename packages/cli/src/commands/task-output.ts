import type { TaskOutput } from '@stoa/protocol';
import type { Context } from '../context.js';
import { printableJson } from '../terminal/printable.js';
import { PrintableStream } from '../terminal/printable-stream.js';

const WAIT_MS = 20_000;

/** What a task puts out, from its beginning, until it has ended or Ctrl-C. */
export async function followOutput(context: Context, taskId: string): Promise<void> {
  const interrupted = new AbortController();
  const forget = context.io.onInterrupt(() => interrupted.abort());
  const show = context.flags.json
    ? (part: TaskOutput) => context.line(printableJson(part))
    : shower(context);
  try {
    let offset = 0;
    for (;;) {
      const part = await context.client.tasks.output(
        taskId,
        { offset, waitMs: WAIT_MS },
        { signal: interrupted.signal },
      );
      if (part.offset > offset) {
        context.say(`bytes ${offset} to ${part.offset - 1} are no longer stored`);
      }
      if (part.text !== '' || part.isComplete) show(part);
      if (part.isComplete) return;
      offset = part.nextOffset;
    }
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  } finally {
    forget();
  }
}

function shower({ io }: Context): (part: TaskOutput) => void {
  const stream = new PrintableStream();
  return ({ text, isComplete }) => {
    io.out(stream.write(text));
    if (isComplete) io.out(stream.end());
  };
}
