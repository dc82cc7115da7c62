import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetWriting, keep, kept } from './kept.js';

/** As that of a browser: what is stored are properties of its own. */
class Shelf {
  [name: string]: unknown;
  getItem(name: string): unknown {
    return Object.hasOwn(this, name) ? this[name] : null;
  }
  setItem(name: string, value: string): void {
    this[name] = value;
  }
  removeItem(name: string): void {
    Reflect.deleteProperty(this, name);
  }
}

describe('what a browser remembers', () => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', new Shelf());
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('is rid of all that was written, attached and on its way when somebody logs out, and of nothing else', () => {
    const written = ['draft:lobby', 'attached:lobby', 'send-queue:human:ada:1'];
    for (const name of [...written, 'theme']) keep(name, 'x');
    localStorage.setItem('of another page', 'x');
    forgetWriting();
    expect(written.map(kept)).toEqual([undefined, undefined, undefined]);
    expect(kept('theme')).toBe('x');
    expect(localStorage.getItem('of another page')).toBe('x');
  });
});
