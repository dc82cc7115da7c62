import type { Figure } from './figure.js';

type Row = readonly string[];

const HEADING: Row = ['part', 'ours', 'peer', 'unit', 'ratio', 'quartiles', 'goal', ''];

/** The table for people. */
export function table(figures: readonly Figure[]): string {
  const rows: Row[] = [HEADING, ...figures.map(rowOf)];
  const widths = HEADING.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) => line(row, widths)).join('\n');
}

/** One line a figure, for machines. */
export function jsonLines(figures: readonly Figure[]): string {
  return figures.map((figure) => JSON.stringify(figure)).join('\n');
}

function rowOf(figure: Figure): Row {
  return [
    figure.part,
    String(figure.ours),
    String(figure.peer),
    figure.unit,
    figure.ratio.toFixed(2),
    `${figure.q1.toFixed(2)} to ${figure.q3.toFixed(2)}`,
    figure.goal,
    figure.met ? 'met' : 'not met',
  ];
}

function line(row: Row, widths: readonly number[]): string {
  return `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
}
