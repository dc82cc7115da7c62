export interface ArgumentText {
  readonly name: string;
  readonly text: string;
}

/** The arguments of a call as text: strings unchanged, with their lines; everything else as JSON. */
export function argumentTexts(input: unknown): ArgumentText[] {
  const isPlain = typeof input === 'object' && input !== null && !Array.isArray(input);
  const entries: readonly (readonly [string, unknown])[] = isPlain
    ? Object.entries(input)
    : [['input', input]];
  return entries.map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
  }));
}

/** The same as one text. Lines of an argument are indented, so that none looks like another argument. */
export function argumentsInLines(input: unknown): string {
  return argumentTexts(input)
    .map(({ name, text }) => {
      const isName = /^[\w.-]+$/.test(name);
      return `${isName ? name : JSON.stringify(name)}:\n    ${text.replace(/\r\n|[\r\n]/g, '\n    ')}`;
    })
    .join('\n');
}
