import { parseScript } from '@stoa/shell';

/** Whether the last command of a script runs in the background (`&`). */
export function endsInBackground(command: string): boolean {
  const parsed = parseScript(command);
  return parsed.ok && parsed.script.items.at(-1)?.background === true;
}
