import { describe, expect, it } from 'vitest';
import { bytesText } from './bytes-text.js';

describe('bytesText', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [12 * 1_024 ** 2, '12.0 MiB'],
    [5 * 1_024 ** 5, '5120.0 TiB'],
  ])('%d reads %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});
