import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, StartFailure, type StartOptions, startDaemon, type TestDaemon } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stoa } from './stoa-command.js';

describe('a configuration', () => {
  let home: string;
  let daemon: TestDaemon | undefined;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'stoa-test-'));
    daemon = undefined;
  });
  afterEach(async () => {
    await daemon?.kill();
    rmSync(home, { recursive: true, force: true });
  });

  async function refusal(options: StartOptions): Promise<StartFailure> {
    const failure = await startDaemon({ home, ...options }).then(
      (started) => {
        daemon = started;
      },
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StartFailure);
    return failure as StartFailure;
  }

  it.each([
    {
      wrong: 'an unknown field',
      config: 'port: 0\nhots: 127.0.0.1\n',
      says: [
        'hots',
        'host, port, allowedHosts, durability, store, log, streams, lobby, sharedAgents, workspaces, providers, model',
        'retention',
      ],
    },
    {
      wrong: 'an unknown field further in',
      config: 'log:\n  level: info\n  colour: red\n',
      says: ['log', 'colour', 'level, format'],
    },
    {
      wrong: 'a word that is not one of the allowed',
      config: 'durability: sometimes\n',
      says: ['durability', 'full, relaxed'],
    },
    {
      wrong: 'an engine that does not exist',
      config: 'store:\n  engine: mysql\n',
      says: ['store.engine', 'sqlite', 'postgres'],
    },
    {
      wrong: 'a number where a list belongs',
      config: 'allowedHosts: 3\n',
      says: ['allowedHosts', 'array', 'number'],
    },
    {
      wrong: 'a word where a number belongs',
      config: 'retention:\n  sweepSeconds: often\n',
      says: ['retention.sweepSeconds', 'number', 'string'],
    },
    {
      wrong: 'a number out of its range',
      config: 'streams:\n  limit: 0\n',
      says: ['streams.limit', '>=1'],
    },
    {
      wrong: 'an engine without its address',
      config: 'store:\n  engine: postgres\n',
      says: ['store.url', 'string'],
    },
    { wrong: 'a list instead of fields', config: '- port: 0\n', says: ['(top level)', 'object'] },
    { wrong: 'broken YAML', config: 'port: 0\nlog: {level: info\n', says: ['line 3'] },
    { wrong: 'a field written twice', config: 'port: 0\nport: 1\n', says: ['line 2', 'unique'] },
  ])(
    'F-7 with $wrong is refused, naming the file, the line and what is allowed',
    async ({ config, says }) => {
      const { code, stdout, stderr } = await refusal({ config });
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain('config_invalid');
      expect(stderr).toContain(join(home, 'stoa.yaml'));
      for (const word of says) expect(stderr).toContain(word);
      expect(readdirSync(home)).toEqual(['stoa.yaml']);
    },
  );

  it.each([
    [{ STOA_PORT: 'http' }, ['port', 'number']],
    [{ STOA_DURABILITY: 'none' }, ['durability', 'full, relaxed']],
    [{ STOA_DATABASE_URL: 'mysql://127.0.0.1/x' }, ['store.url', 'postgres']],
  ] as [Record<string, string>, string[]][])(
    'F-7 that comes from the environment as %o is refused',
    async (env, says) => {
      const { code, stderr } = await refusal({ env });
      expect(code).not.toBe(0);
      expect(stderr).toContain('config_invalid');
      for (const word of says) expect(stderr).toContain(word);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  it('F-7 with a bad value is refused also where a flag says something good, and nothing is made', async () => {
    const elsewhere = join(home, 'not-yet');
    const file = join(home, 'stoa.yaml');
    writeFileSync(file, 'host: 127.0.0.1\nlog:\n  level: loud\n');
    const { stderr } = await refusal({
      env: { STOA_HOME: elsewhere, STOA_CONFIG: file },
      args: ['--host', '127.0.0.1'],
    });
    expect(stderr).toContain('log.level');
    expect(stderr).toContain('debug, info, warn, error, silent');
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('F-7 that is named and not there is refused', async () => {
    const { stderr } = await refusal({ env: { STOA_CONFIG: join(home, 'missing.yaml') } });
    expect(stderr).toContain('config_invalid');
    expect(stderr).toContain(join(home, 'missing.yaml'));
    expect(readdirSync(home)).toEqual([]);
  });

  it('takes an empty variable for one that is not set, in the daemon and in the commands', async () => {
    const STOA_CONFIG = '';
    const STOA_DURABILITY = '';
    const STOA_HOST = '';
    const STOA_DATABASE_URL = '';
    const empty = { STOA_CONFIG, STOA_DURABILITY, STOA_HOST, STOA_DATABASE_URL, STOA_PORT: '' };
    daemon = await startDaemon({ home, env: empty, config: 'port: 0\n' });
    const env = { STOA_HOME: home, STOA_URL: '', STOA_TOKEN: '', ...empty };
    expect(await stoa(['status'], { env })).toMatchObject({ code: 0 });
    const doctor = await stoa(['doctor'], { env });
    expect(doctor.out).toContain(`valid (${join(home, 'stoa.yaml')}, environment)`);
    expect(doctor.out).toContain(`${daemon.url} is used by this daemon`);
  });

  it('takes flags over the environment over the file, and says in the status how it runs', async () => {
    daemon = await startDaemon({
      home,
      config: 'host: 127.0.0.9\nport: 1\ndurability: full\n',
      env: { STOA_HOST: '127.0.0.8', STOA_PORT: '2', STOA_DURABILITY: 'relaxed' },
      args: ['--host', '127.0.0.1', '--port', '0'],
    });
    expect(new URL(daemon.url).hostname).toBe('127.0.0.1');
    const { json } = await call(daemon.url, 'GET', '/v1/status', { token: daemon.token });
    expect(json).toMatchObject({ durability: 'relaxed' });
    expect(JSON.stringify(json['warnings'])).toContain('power cut');
  });

  it('keeps the password of a database out of the log', async () => {
    const { stdout, stderr } = await refusal({
      env: { STOA_DATABASE_URL: 'postgres://stoa:hunter2@127.0.0.1:1/nothing' },
    });
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stderr).toContain('storage_unavailable');
    expect(existsSync(join(home, 'daemon.json'))).toBe(false);
    expect(readFileSync(join(home, 'lock.db')).length).toBe(0);
  });
});
