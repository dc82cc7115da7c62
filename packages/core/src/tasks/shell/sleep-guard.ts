import { firstCommand, parseScript } from '@stoa/shell';

/** A command that begins with a shorter sleep is allowed. */
const SHORTEST_S = 2;
const LONGEST_INTENDED_S = 600;
const REASON_CHARS = 8;

const INSTEAD =
  'to wait for something, start it with is_background and you get a notice when it ends, or watch for it with monitor';

/**
 * Why a foreground command that begins with a sleep is refused; undefined if it is not. A single sleep is allowed with a
 * comment that gives a reason:
 *
 *   sleep 30 # intentional-sleep: waiting for the device
 */
export function sleepRefusal(command: string): string | undefined {
  const parsed = parseScript(command);
  if (!parsed.ok) return undefined;
  const seconds = secondsOf(firstCommand(parsed.script)?.argv ?? []);
  if (seconds === undefined || seconds < SHORTEST_S) return undefined;
  const isAlone =
    parsed.script.items.length === 1 && parsed.script.items[0]?.pipelines.length === 1;
  if (!isAlone || !isIntended(command)) {
    return `A foreground command must not begin with a sleep of ${SHORTEST_S} s or more: ${INSTEAD}`;
  }
  if (seconds <= LONGEST_INTENDED_S) return undefined;
  return `An intentional sleep lasts at most ${LONGEST_INTENDED_S} s: ${INSTEAD}`;
}

/** The duration of a `sleep` command; undefined if it is another command or the duration is not known. */
function secondsOf(argv: readonly { type: string; text?: string }[]): number | undefined {
  const [name, ...times] = argv;
  if (name?.type !== 'fixed' || !/^(?:\/(?:usr\/)?bin\/)?sleep$/.test(name.text ?? '')) {
    return undefined;
  }
  const lengths = times.map((time) => (time.type === 'fixed' ? lengthOf(time.text ?? '') : NaN));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return Number.isNaN(total) ? undefined : total;
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

function lengthOf(text: string): number {
  if (/^inf(?:inity)?$/i.test(text)) return Infinity;
  const [, number, unit = 's'] = /^(\d+(?:\.\d*)?|\.\d+)(ms|[smhd])?$/.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number) * (UNITS[unit] ?? Number.NaN);
}

/** Without quotes, escapes or expansions before it, the first `#` after a space begins the comment. */
function isIntended(command: string): boolean {
  const [before] = /^[^#'"\\`$]*\s#\s*intentional-sleep:/.exec(command) ?? [];
  if (before === undefined) return false;
  const reason = command.slice(before.length).trimEnd();
  return !reason.includes('\n') && reason.trim().length >= REASON_CHARS;
}
