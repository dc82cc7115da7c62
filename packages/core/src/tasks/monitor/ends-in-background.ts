import { parseScript } from '../../permissions/shell/parse-script.js';

/** Whether the last command of a script is sent to the background: then there is nothing to wait for. */
export function endsInBackground(command: string): boolean {
  const parsed = parseScript(command);
  return parsed.ok && parsed.script.items.at(-1)?.background === true;
}
