import { StoaError } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { hostsOf } from './addresses.js';
import { OriginGuard } from './origin-guard.js';

const guard = new OriginGuard();
guard.allow(hostsOf('127.0.0.1', 7117, ['stoa.example']));

const codeOf = (headers: Record<string, string>, isPage = false): string => {
  try {
    guard.check(headers, isPage);
    return 'admitted';
  } catch (error) {
    return error instanceof StoaError ? error.code : String(error);
  }
};

describe('the origin guard', () => {
  it.each([
    [{ host: '127.0.0.1:7117' }],
    [{ host: 'LOCALHOST:7117' }],
    [{ host: '[::1]:7117' }],
    [{ host: 'stoa.example' }],
    [{ host: 'localhost:7117', origin: 'http://localhost:7117', 'sec-fetch-site': 'same-origin' }],
    [{ host: 'localhost:7117', 'sec-fetch-site': 'none' }],
  ])('admits %j', (headers) => {
    expect(codeOf(headers as Record<string, string>)).toBe('admitted');
  });

  it('F-19 allows links from other sites to pages, and to nothing else', () => {
    const followed = {
      host: '127.0.0.1:7117',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(codeOf(followed, true)).toBe('admitted');
    expect(codeOf(followed)).toBe('origin_not_allowed');
    expect(codeOf({ ...followed, 'sec-fetch-dest': 'iframe' }, true)).toBe('origin_not_allowed');
    expect(codeOf({ ...followed, host: 'evil.example' }, true)).toBe('host_not_allowed');
  });

  it.each([
    [{}, 'host_not_allowed'],
    [{ host: 'evil.example' }, 'host_not_allowed'],
    [{ host: 'evil.example:7117' }, 'host_not_allowed'],
    [{ host: '127.0.0.1' }, 'host_not_allowed'],
    [{ host: '127.0.0.1:7118' }, 'host_not_allowed'],
    [{ host: '127.0.0.1:7117.evil.example' }, 'host_not_allowed'],
    [{ host: '127.0.0.1:7117', origin: 'https://evil.example' }, 'origin_not_allowed'],
    [{ host: '127.0.0.1:7117', origin: 'http://127.0.0.1:3000' }, 'origin_not_allowed'],
    [{ host: '127.0.0.1:7117', origin: 'null' }, 'origin_not_allowed'],
    [{ host: '127.0.0.1:7117', 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
    [{ host: '127.0.0.1:7117', 'sec-fetch-site': 'same-site' }, 'origin_not_allowed'],
  ])('refuses %j with %s', (headers, code) => {
    expect(codeOf(headers as Record<string, string>)).toBe(code);
  });
});
