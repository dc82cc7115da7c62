import path from 'node:path';
import type { Context } from '../context.js';
import { isLoopback } from '../locate.js';
import { bytesText } from '../terminal/bytes-text.js';
import { printableLine } from '../terminal/printable.js';

export async function backup(context: Context, [directory]: readonly string[]): Promise<void> {
  const made = await context.client.backup(
    directory === undefined ? undefined : onItsMachine(context, directory),
  );
  context.answer(made, () => printableLine(made.path));
  if (!context.flags.json) {
    context.say(`${bytesText(made.bytes)} in ${(made.durationMs / 1_000).toFixed(1)} s`);
  }
}

/** A relative path means this directory only if the daemon is on this machine. */
function onItsMachine(context: Context, directory: string): string {
  const { hostname } = new URL(context.located.url);
  return isLoopback(hostname) ? path.resolve(directory) : directory;
}
