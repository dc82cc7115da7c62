import { displayWidth, shorten } from './width.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export interface TableStyle {
  /** The last column is cut to fit; absent (no terminal): nothing is cut. */
  readonly width: number | undefined;
  readonly heading: (text: string) => string;
}

const GAP = '  ';

/** Cells must be one printable line each. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: TableStyle,
): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, index) => cell(column, cells[index] ?? '', widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
  const cut = (text: string): string =>
    style.width === undefined ? text : shorten(text, style.width);
  const titles = columns.map(({ title }) => title);
  return [style.heading(cut(line(titles))), ...rows.map((row) => cut(line(row)))].join('\n');
}

function cell(column: Column, text: string, width: number): string {
  const padding = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return column.align === 'right' ? padding + text : text + padding;
}
