import { describe, expect, it } from 'vitest';
import { hostsOf, urlOf } from './addresses.js';

const LOOPBACK = ['127.0.0.1:7117', 'localhost:7117', '[::1]:7117'];

describe('the address of a daemon', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7117'],
    ['::1', 'http://[::1]:7117'],
    ['localhost', 'http://localhost:7117'],
    ['0.0.0.0', 'http://127.0.0.1:7117'],
    ['::', 'http://[::1]:7117'],
    ['::0', 'http://[::1]:7117'],
    ['[::]', 'http://[::1]:7117'],
    ['2001:db8::7', 'http://[2001:db8::7]:7117'],
    ['stoa.internal', 'http://stoa.internal:7117'],
  ])('is for %s the URL %s', (host, url) => {
    expect(urlOf(host, 7117)).toBe(url);
    expect(new URL(url).host).toBe(url.slice('http://'.length));
  });

  it.each(['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::'])(
    'F-19 goes for %s by the names of loopback',
    (host) => {
      expect(hostsOf(host, 7117, [])).toEqual(LOOPBACK);
    },
  );

  it('F-19 outside loopback accepts only its own name', () => {
    expect(hostsOf('192.0.2.7', 7117, [])).toEqual(['192.0.2.7:7117']);
    expect(hostsOf('2001:db8::7', 7117, [])).toEqual(['[2001:db8::7]:7117']);
  });

  it('F-19 is accepted without the default port', () => {
    expect(hostsOf('192.0.2.7', 80, [])).toEqual(['192.0.2.7:80', '192.0.2.7']);
  });
});
