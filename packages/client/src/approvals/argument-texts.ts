export interface ArgumentText {
  readonly name: string;
  readonly text: string;
}

/** The arguments of a call, each as it is read: texts stand as they are, with their lines; all else as JSON. */
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

/** The same as one text. What belongs to an argument is set in, so that none of its lines passes for another. */
export function argumentsInLines(input: unknown): string {
  return argumentTexts(input)
    .map(({ name, text }) => {
      const isName = /^[\w.-]+$/.test(name);
      return `${isName ? name : JSON.stringify(name)}:\n    ${text.replace(/\r\n|[\r\n]/g, '\n    ')}`;
    })
    .join('\n');
}
