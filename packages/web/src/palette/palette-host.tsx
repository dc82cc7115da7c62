import { useKey } from '../keys/registry.js';
import { Palette } from './palette.js';
import { palette, usePaletteMode } from './palette-state.js';

/** Has the keys that open the palette, and shows it. It is not loaded late: who knows it types on at once. */
export function PaletteHost() {
  const mode = usePaletteMode();
  useKey('Mod+K', { does: 'Go to anything, do anything' }, () => palette.open('all'));
  useKey('/', { does: 'Search what was said' }, () => palette.open('messages'));
  return mode === undefined ? null : <Palette mode={mode} onClose={palette.close} />;
}
