import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoaError } from '@stoa/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkConfig, effectiveConfig, loadSettings } from './load-config.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'stoa-config-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const withFile = (yaml: string): void => {
  writeFileSync(join(home, 'stoa.yaml'), yaml);
};
const load = (environment: Record<string, string> = {}, flags = {}) =>
  loadSettings({ home, ...flags }, environment).config;
const issuesOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof StoaError) return `${error.code}: ${error.message}`;
  }
  return 'accepted';
};

describe('configuration', () => {
  it('has defaults for everything', () => {
    expect(load()).toMatchObject({
      host: '127.0.0.1',
      port: 7117,
      durability: 'full',
      store: { engine: 'sqlite' },
    });
  });

  it('prefers flags to the environment to the file', () => {
    withFile('port: 1\nhost: 127.0.0.2\ndurability: relaxed\n');
    expect(load()).toMatchObject({ port: 1, host: '127.0.0.2', durability: 'relaxed' });
    expect(load({ STOA_PORT: '2' })).toMatchObject({ port: 2, host: '127.0.0.2' });
    expect(load({ STOA_PORT: '2' }, { port: 3 })).toMatchObject({ port: 3 });
  });

  it.each([
    ['prot: 1', 'unknown field prot'],
    ['port: many', 'port'],
    ['durability: sometimes', 'must be one of full, relaxed'],
    ['log:\n  level: loud', 'must be one of debug, info, warn, error, silent'],
    ['retention:\n  sweepSeconds: -1', 'retention.sweepSeconds'],
    ['store:\n  engine: mysql', 'store'],
    ['store:\n  engine: postgres', 'store.url'],
    ['- a\n- b', 'expected object'],
    ['port: 1\nport: 2', 'line'],
    ['port: [', 'line'],
    ['port: *nowhere', 'nowhere'],
  ])('refuses %j with the path and the problem', (yaml, expected) => {
    withFile(yaml);
    const reported = issuesOf(() => load());
    expect(reported).toContain('config_invalid');
    expect(reported).toContain(join(home, 'stoa.yaml'));
    expect(reported).toContain(expected);
  });

  it('refuses a port in the environment that is not a number', () => {
    expect(issuesOf(() => load({ STOA_PORT: 'http' }))).toContain('port');
  });

  it('refuses a named file that does not exist', () => {
    expect(issuesOf(() => load({}, { config: join(home, 'none.yaml') }))).toContain(
      'does not exist',
    );
  });

  it('that cannot be read is refused like an invalid one', () => {
    mkdirSync(join(home, 'stoa.yaml'));
    const reported = issuesOf(() => load());
    expect(reported).toContain('config_invalid');
    expect(reported).toContain('cannot be read: Error: EISDIR');
    expect(checkConfig(home)).toMatchObject([{ path: '' }]);
  });

  it('treats an empty variable as not set', () => {
    withFile('port: 1\n');
    const empty = {
      STOA_HOME: '',
      STOA_CONFIG: '',
      STOA_HOST: '',
      STOA_PORT: '',
      STOA_DURABILITY: '',
      STOA_DATABASE_URL: '',
    };
    expect(load(empty)).toEqual(load());
    expect(loadSettings({}, empty).home).toBe(join(homedir(), '.stoa'));
  });

  it('is shown without the password of the database', () => {
    const url = 'postgres://stoa:hun@ter2@127.0.0.1/stoa?password=hunter2';
    withFile(`store:\n  engine: postgres\n  url: ${url}\n`);
    const shown = JSON.stringify(effectiveConfig({ flags: { home } }));
    expect(shown).toContain('postgres://stoa:[redacted]@127.0.0.1/stoa');
    expect(shown).not.toMatch(/hun|ter2/);
  });
});
