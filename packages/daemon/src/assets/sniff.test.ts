import { describe, expect, it } from 'vitest';
import { sniffMediaType } from './sniff.js';

describe('the media type of an asset', () => {
  it.each([
    ['image/png', Buffer.from('89504e470d0a1a0a0000000d', 'hex')],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
    ['image/gif', Buffer.from('GIF89a......')],
    ['image/webp', Buffer.from('RIFF....WEBPVP8 ')],
    ['application/pdf', Buffer.from('%PDF-1.7')],
    ['text/plain; charset=utf-8', Buffer.from('plain, 部署')],
    ['application/octet-stream', Buffer.from([0, 1, 2, 3])],
    ['application/octet-stream', Buffer.from([0xff, 0xfe, 0x41])],
  ])('is %s by its bytes', (mediaType, bytes) => {
    expect(sniffMediaType(bytes)).toBe(mediaType);
  });

  it('is plain text for markup, so that a browser runs none of it', () => {
    for (const markup of [
      '<svg onload="alert(1)">',
      '<!doctype html><script>',
      '<?xml version="1.0"?>',
    ]) {
      expect(sniffMediaType(Buffer.from(markup))).toBe('text/plain; charset=utf-8');
    }
  });
});
