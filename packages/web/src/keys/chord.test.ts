import { describe, expect, it } from 'vitest';
import { isForTyping, type Stroke, written } from './chord.js';

const stroke = (key: string, held: Partial<Stroke> = {}): Stroke => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('a stroke, written down', () => {
  it('has the modifier that commands have on the machine', () => {
    expect(written(stroke('k', { ctrlKey: true }), false)).toBe('Mod+K');
    expect(written(stroke('k', { metaKey: true }), true)).toBe('Mod+K');
    expect(written(stroke('k', { ctrlKey: true }), true)).toBe('k');
  });

  it('is the letter at its position on a keyboard of another script', () => {
    expect(written(stroke('л', { code: 'KeyK', ctrlKey: true }), false)).toBe('Mod+K');
    expect(written(stroke('о', { code: 'KeyJ' }), false)).toBe('j');
    expect(written(stroke('z', { code: 'KeyY' }), false)).toBe('z');
    expect(written(stroke('é', { code: 'KeyE' }), false)).toBe('é');
  });

  it('has Shift only where the character does not tell', () => {
    expect(written(stroke('?', { shiftKey: true }), false)).toBe('?');
    expect(written(stroke('ArrowDown', { altKey: true, shiftKey: true }), false)).toBe(
      'Alt+Shift+ArrowDown',
    );
  });

  it('is text in a text field, unless it has a modifier or is Escape', () => {
    expect(isForTyping('?', true)).toBe(true);
    expect(isForTyping('?', false)).toBe(false);
    expect(isForTyping('Mod+K', true)).toBe(false);
    expect(isForTyping('Alt+ArrowDown', true)).toBe(false);
    expect(isForTyping('Escape', true)).toBe(false);
  });
});
