type Paint = (text: string) => string;

export interface Painter {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** Colours only where somebody looks (https://no-color.org). */
export function wantsColour(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function painter(coloured: boolean): Painter {
  const sgr =
    (on: number, off: number): Paint =>
    (text) =>
      coloured && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    cyan: sgr(36, 39),
  };
}
