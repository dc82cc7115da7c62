/** What a text that begins with a slash is: a command, or words that only look like one. */
export type Slash =
  | { readonly type: 'command'; readonly name: string; readonly rest: string }
  | { readonly type: 'text'; readonly text: string };

/** Two slashes are one slash and no command. Undefined for a text that does not begin with one. */
export function parseSlash(text: string): Slash | undefined {
  if (!text.startsWith('/')) return undefined;
  if (text.startsWith('//')) return { type: 'text', text: text.slice(1) };
  const [name = ''] = text.slice(1).split(/\s/, 1);
  return { type: 'command', name: name.toLowerCase(), rest: text.slice(1 + name.length).trim() };
}
