import { parseScript } from '@stoa/shell';

/** Whether the last thing a command does is to put something behind itself with `&`. */
export function endsInBackground(command: string): boolean {
  const parsed = parseScript(command);
  return parsed.ok && parsed.script.items.at(-1)?.background === true;
}
