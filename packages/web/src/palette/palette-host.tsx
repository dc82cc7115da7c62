import { lazy, Suspense } from 'react';
import { useKey } from '../keys/registry.js';
import { palette, usePaletteMode } from './palette-state.js';

const Palette = lazy(async () => ({ default: (await import('./palette.js')).Palette }));

/** Has the keys that open the palette, and shows it. */
export function PaletteHost() {
  const mode = usePaletteMode();
  useKey('Mod+K', { does: 'Go to anything, do anything' }, () => palette.open('all'));
  useKey('/', { does: 'Search what was said' }, () => palette.open('messages'));
  return mode === undefined ? null : (
    <Suspense>
      <Palette mode={mode} onClose={palette.close} />
    </Suspense>
  );
}
