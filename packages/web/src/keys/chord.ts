/** The part of a keyboard event that a shortcut is made of. */
export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** How a stroke is written down. Shift is written only where it does not already make another character. */
export function written(stroke: Stroke, isMac: boolean): string {
  const { key, altKey, shiftKey } = stroke;
  const isMod = isMac ? stroke.metaKey : stroke.ctrlKey;
  const isNamed = key.length > 1;
  const name = isMod && !isNamed ? key.toUpperCase() : key;
  return [isMod && 'Mod', altKey && 'Alt', shiftKey && (isNamed || isMod) && 'Shift', name]
    .filter((part) => part !== false)
    .join('+');
}

/** A key without a modifier is text where text is written, and a shortcut elsewhere. */
export function isForTyping(chord: string, isInText: boolean): boolean {
  return isInText && !chord.startsWith('Mod+') && !chord.startsWith('Alt+') && chord !== 'Escape';
}
