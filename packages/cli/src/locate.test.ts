import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from './failure.js';
import { locate } from './locate.js';

describe('locate', () => {
  let home: string;

  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-locate-'));
  });

  afterEach(() => {
    fs.rmSync(home, { recursive: true });
  });

  function write(file: string, text: string, mode = 0o600): void {
    fs.writeFileSync(path.join(home, file), text, { mode });
  }

  /** As a daemon leaves it while it runs. */
  function running(): void {
    write('daemon.json', JSON.stringify({ pid: process.pid, url: 'http://127.0.0.1:4' }));
  }

  it('prefers flags to environment to the running daemon to the default', () => {
    const env = { STOA_HOME: home, STOA_URL: 'http://127.0.0.1:2', STOA_PORT: '3' };
    expect(locate({}, { STOA_HOME: home }).url).toBe('http://127.0.0.1:7117');
    write('daemon.json', JSON.stringify({ pid: 1, url: 'http://127.0.0.1:4' }));
    expect(locate({}, { STOA_HOME: home }).url).toBe('http://127.0.0.1:4');
    expect(locate({}, { ...env, STOA_URL: undefined }).url).toBe('http://127.0.0.1:3');
    expect(locate({}, env).url).toBe('http://127.0.0.1:2');
    expect(locate({ url: 'http://127.0.0.1:1' }, env)).toMatchObject({
      url: 'http://127.0.0.1:1',
      urlFrom: '--url',
      home,
    });
  });

  it('asks the data directory when the port is left to the system', () => {
    write('daemon.json', JSON.stringify({ pid: 1, url: 'http://127.0.0.1:4' }));
    expect(locate({}, { STOA_HOME: home, STOA_PORT: '0' }).url).toBe('http://127.0.0.1:4');
  });

  it.each(['{', '[]', '{"pid":1}', '{"pid":1,"url":"file:///etc"}'])(
    'falls back to the default when daemon.json holds %s',
    (text) => {
      write('daemon.json', text);
      expect(locate({}, { STOA_HOME: home }).urlFrom).toBe('the default');
    },
  );

  it('reads the token of the data directory, and STOA_TOKEN before it', () => {
    write('token', 'from-file\n');
    running();
    expect(locate({}, { STOA_HOME: home })).toMatchObject({ token: 'from-file', warnings: [] });
    expect(locate({}, { STOA_HOME: home }).tokenFrom).toBe(path.join(home, 'token'));
    expect(locate({}, { STOA_HOME: home, STOA_TOKEN: 'from-env' })).toMatchObject({
      token: 'from-env',
      tokenFrom: 'STOA_TOKEN',
    });
    const file = path.join(home, 'other');
    write('other', 'from-other\n');
    expect(locate({ tokenFile: file }, { STOA_HOME: home }).tokenFrom).toBe(`--token-file ${file}`);
    expect(() => locate({ tokenFile: '/dev/null' }, { STOA_HOME: home })).toThrow(
      'the token file /dev/null is empty',
    );
  });

  it('never sends the token of the data directory to another machine', () => {
    write('token', 'secret');
    const env = { STOA_HOME: home };
    expect(locate({ url: 'http://evil.example' }, env).token).toBeUndefined();
    expect(locate({ url: 'http://127.0.0.1.evil.example' }, env).token).toBeUndefined();
    expect(locate({ url: 'http://localhost:9' }, env).token).toBe('secret');
    expect(locate({ url: 'http://[::1]:9' }, env).token).toBe('secret');
  });

  it('sends the token of a data directory only to the daemon that runs on it', () => {
    write('token', 'secret');
    expect(locate({}, { STOA_HOME: home })).toMatchObject({
      urlFrom: 'the default',
      token: undefined,
    });
    write('daemon.json', JSON.stringify({ pid: 2 ** 22 + 1, url: 'http://127.0.0.1:4' }));
    expect(locate({}, { STOA_HOME: home })).toMatchObject({
      urlFrom: 'the default',
      token: undefined,
    });
    running();
    expect(locate({}, { STOA_HOME: home })).toMatchObject({
      urlFrom: 'daemon.json',
      token: 'secret',
    });
  });

  it('finds a daemon by its port also where it does not listen on the usual address', () => {
    write('token', 'secret');
    write('daemon.json', JSON.stringify({ pid: process.pid, url: 'http://[2001:db8::7]:4' }));
    expect(locate({}, { STOA_HOME: home, STOA_PORT: '4' })).toMatchObject({
      url: 'http://[2001:db8::7]:4',
      token: 'secret',
    });
    expect(locate({}, { STOA_HOME: home, STOA_PORT: '5' }).url).toBe('http://127.0.0.1:5');
  });

  it('warns when others can read the token', () => {
    write('token', 'secret', 0o644);
    fs.chmodSync(path.join(home, 'token'), 0o644);
    running();
    expect(locate({}, { STOA_HOME: home }).warnings).toEqual([
      `other users can read ${path.join(home, 'token')}; run: chmod 600 ${path.join(home, 'token')}`,
    ]);
  });

  it('takes the token from a file, which must exist', () => {
    write('bob.token', 'bob-secret\n');
    const env = { STOA_HOME: home };
    expect(locate({ tokenFile: path.join(home, 'bob.token') }, env).token).toBe('bob-secret');
    expect(() => locate({ tokenFile: path.join(home, 'none') }, env)).toThrow(UsageError);
  });

  it('refuses addresses and ports that are none', () => {
    expect(() => locate({ url: 'localhost:7117' }, {})).toThrow('--url is not an http address');
    expect(() => locate({}, { STOA_PORT: 'seven' })).toThrow('STOA_PORT is not a port');
    expect(() => locate({}, { STOA_PORT: '70000' })).toThrow('STOA_PORT is not a port');
  });
});
