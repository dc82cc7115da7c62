import { describe, expect, it } from 'vitest';
import { safeUrl } from './safe-url.js';

describe('where a link in a message may lead', () => {
  it('is the web and mail', () => {
    expect(safeUrl('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(safeUrl('http://example.org')).toBe('http://example.org/');
    expect(safeUrl('mailto:ada@example.org')).toBe('mailto:ada@example.org');
  });

  it('is nothing that runs, holds its own content, or depends on where it stands', () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://example.org/x',
      '/v1/logout',
      '//example.org',
      '#x',
      '',
    ]) {
      expect(safeUrl(url), url).toBeUndefined();
    }
  });
});
