import { describe, expect, it } from 'vitest';
import { safeUrl as safeUrlAt } from './safe-url.js';

const HERE = { hostname: '127.0.0.1', port: '7117' };
const safeUrl = (url: string): string | undefined => safeUrlAt(url, HERE);

describe('where a link in a message may lead', () => {
  it('is the web and mail', () => {
    expect(safeUrl('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
    expect(safeUrl('http://example.org')).toBe('http://example.org/');
    expect(safeUrl('mailto:ada@example.org')).toBe('mailto:ada@example.org');
  });

  it('is nothing that runs, contains its own content, or is relative', () => {
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

  it('SE-52 is no login link of this daemon, under any of its names', () => {
    for (const url of [
      'http://127.0.0.1:7117/login?code=x',
      'http://127.0.0.1:7117/login',
      'http://127.0.0.1:7117/%6Cogin?code=x',
      'http://127.0.0.1:7117/x/../login?code=x',
      'http://127.0.0.1:7117//login?code=x',
      'http://localhost:7117/login?code=x',
      'http://[::1]:7117/login?code=x',
      'http://ada@127.0.0.1:7117/login?code=x',
    ]) {
      expect(safeUrl(url), url).toBeUndefined();
    }
    for (const url of [
      'http://127.0.0.1:7117/c/lobby',
      'http://127.0.0.1:7117/logins',
      'http://127.0.0.1:3000/login',
      'https://example.org/login?code=x',
    ]) {
      expect(safeUrl(url), url).toBe(url);
    }
  });
});
