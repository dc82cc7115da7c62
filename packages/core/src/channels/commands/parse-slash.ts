/** A text that begins with a slash: a command, or an escaped text. */
export type Slash =
  | { readonly type: 'command'; readonly name: string; readonly rest: string }
  | { readonly type: 'text'; readonly text: string };

/** Two slashes escape one. Undefined for a text that does not begin with a slash. */
export function parseSlash(text: string): Slash | undefined {
  if (!text.startsWith('/')) return undefined;
  if (text.startsWith('//')) return { type: 'text', text: text.slice(1) };
  const [name = ''] = text.slice(1).split(/\s/, 1);
  return { type: 'command', name: name.toLowerCase(), rest: text.slice(1 + name.length).trim() };
}
