/** The part of a keyboard event that a shortcut is made of. */
export interface Stroke {
  readonly key: string;
  /** The position of the key on the keyboard. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** How a stroke is written down. Shift is written only where it does not already make another character. */
export function written(stroke: Stroke, isMac: boolean): string {
  const { altKey, shiftKey } = stroke;
  const key = latin(stroke);
  const isMod = isMac ? stroke.metaKey : stroke.ctrlKey;
  const isNamed = key.length > 1;
  const name = isMod && !isNamed ? key.toUpperCase() : key;
  return [isMod && 'Mod', altKey && 'Alt', shiftKey && (isNamed || isMod) && 'Shift', name]
    .filter((part) => part !== false)
    .join('+');
}

const LAST_LATIN = 0x24f;

/** On a keyboard of another script the position determines the letter: otherwise no shortcut would work there. */
function latin({ key, code, shiftKey }: Stroke): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const isOther = key.length === 1 && key.charCodeAt(0) > LAST_LATIN;
  if (letter === undefined || !isOther) return key;
  return shiftKey ? letter : letter.toLowerCase();
}

/** A key without a modifier is text where text is written, and a shortcut elsewhere. */
export function isForTyping(chord: string, isInText: boolean): boolean {
  return isInText && !chord.startsWith('Mod+') && !chord.startsWith('Alt+') && chord !== 'Escape';
}
