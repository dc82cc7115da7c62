import { describe, expect, it } from 'vitest';
import { decodeBase64 } from './base64.js';

describe('base64', () => {
  it('decodes to the same bytes', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
    expect(decodeBase64('')).toEqual(new Uint8Array());
  });

  it.each(['QR==', 'QUJ=', 'QUI', 'QUJD=', 'QU JD', 'QUJD\n', 'QUJ-', '===='])(
    'refuses %j, which is not the encoding of any bytes',
    (text) => {
      expect(() => decodeBase64(text)).toThrow(
        expect.objectContaining({ code: 'invalid_request' }) as Error,
      );
    },
  );
});
