import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { cleanEnvironment, PROGRAM } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';

const BUILT = dirname(PROGRAM);

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', env: cleanEnvironment() });

/** The newest of the builds that lie there. */
const [BUILD = ''] = /(?<=")[0-9a-f]{16}(?=")/.exec(readFileSync(PROGRAM, 'utf8')) ?? [];

const partsOf = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(`-${BUILD}.js`));

/** Whether V8 takes the cache of a script. In a process of its own: a test runner has other flags. */
const ACCEPTS = `
  const [file] = process.argv.slice(1);
  const { readFileSync } = require('node:fs');
  const cachedData = readFileSync(file + '.cache');
  const script = new (require('node:vm').Script)(readFileSync(file, 'latin1'), { filename: file, cachedData });
  process.stdout.write(String(!script.cachedDataRejected));
`;

describe('the code cache of the program', () => {
  const directories: string[] = [];
  afterEach(() => {
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
  });

  /** The command without its daemon, and without its caches. */
  function copyOfCommand(): string {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-test-'));
    directories.push(directory);
    for (const name of ['package.json', basename(PROGRAM), `main-${BUILD}.js`]) {
      cpSync(join(BUILT, name), join(directory, name));
    }
    return directory;
  }

  it('is there for every part, and V8 takes it', () => {
    const parts = partsOf(BUILT);
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(node('-e', ACCEPTS, join(BUILT, part))).toBe('true');
  });

  it('may be missing or of another making: the command only starts more slowly', () => {
    const help = node(PROGRAM, '--help');
    const directory = copyOfCommand();
    const program = join(directory, basename(PROGRAM));
    expect(node(program, '--help')).toBe(help);
    for (const part of partsOf(directory)) {
      writeFileSync(join(directory, `${part}.cache`), 'not what V8 writes');
    }
    expect(node(program, '--help')).toBe(help);
  });
});
