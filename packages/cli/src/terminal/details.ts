import type { Painter } from './paint.js';
import { printable, printableLine } from './printable.js';
import { folded } from './width.js';

export type DetailRow = readonly [name: string, value: string | number | undefined];

/** One record: a heading, and a line for each field that has a value. */
export function details(
  paint: Painter,
  heading: { readonly title: string; readonly id: string },
  rows: readonly DetailRow[],
): string {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, printable(String(value))] as const],
  );
  const width = Math.max(11, ...shown.map(([name]) => name.length));
  const margin = `\n${' '.repeat(width + 3)}`;
  return [
    `${paint.bold(printableLine(heading.title))} ${paint.dim(printableLine(heading.id))}`,
    ...shown.map(([name, value]) => `  ${name.padEnd(width)} ${value.replaceAll('\n', margin)}`),
  ].join('\n');
}

/**
 * A text below a record, with a margin: it cannot pass for a field. A line that the terminal would break at its
 * edge is broken here, and what goes on is marked: it passes neither for a field nor for a line of its own.
 */
export function block(paint: Painter, name: string, text: string, width?: number): string {
  const lines = printable(text)
    .split('\n')
    .flatMap((line) => (width === undefined ? [line] : marked(folded(line, width - ROOM))))
    .map((line) => `${MARGIN}${line}`.trimEnd());
  return [`  ${paint.dim(`${name}:`)}`, ...lines].join('\n');
}

const MARGIN = '    ';
const GOES_ON = '↪ ';
const ROOM = MARGIN.length + GOES_ON.length;

function marked([first = '', ...rest]: readonly string[]): string[] {
  return [first, ...rest.map((line) => `${GOES_ON}${line}`)];
}
