import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sqliteBindingName } from '@stoa/store';
import { cleanEnvironment, PROGRAM } from '@stoa/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Installation } from './installation.js';

/** The real npm, even if another program of that name is in the PATH. */
const REAL_NPM = `
  const npm = ${JSON.stringify(which('npm'))};
  process.exit(spawnSync(process.execPath, [npm, ...args], { stdio: 'inherit', env: { ...process.env, npm_execpath: npm } }).status ?? 1);
`;

const OTHER_NODE = `
  fs.writeFileSync('node_modules/better-sqlite3/index.js', \`throw new Error(
    "The module was compiled against a different Node.js version using NODE_MODULE_VERSION 137. This version of Node.js requires NODE_MODULE_VERSION 115.")\`);
  console.log('gyp info ok');
`;

const COMPILER = /(?:^|-)(?:cc|c89|c99|c\+\+|gcc|g\+\+|clang(?:\+\+)?)(?:-[\d.]+)?$/;

function which(program: string): string {
  return realpathSync(
    execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim(),
  );
}

/** The interpreter itself, and not a script that looks for it. */
const python = (): string =>
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();

describe('SQLite that has to be compiled and cannot be', () => {
  let installation: Installation;
  afterEach(() => {
    installation.remove();
  });

  /** One sentence about what is missing and both ways out, and not a line of the build. */
  async function expectSentence(missing: RegExp, env: Record<string, string> = {}): Promise<void> {
    const { code, stdout, stderr } = await installation.run(env);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const lines = stderr.trimEnd().split('\n');
    const sentences = lines.filter((line) => !/…$| took \d+ s$/.test(line));
    expect(sentences).toEqual([expect.stringMatching(missing)]);
    expect(sentences[0]).toMatch(
      /^SQLite could not be compiled for Node .*, or use Node 22\.13 or newer/,
    );
    expect(sentences[0]).toContain(installation.log);
  }

  it('OP-6 without a compiler: names what to install, and the log of the real build is in a file', async ({
    skip,
  }) => {
    if (sqliteBindingName() === 'node:sqlite') skip('this Node compiles nothing');
    installation = new Installation(REAL_NPM);
    installation.useRealSources();
    const path = installation.pathWith({ node: process.execPath, sh: which('sh') });
    await expectSentence(/because Python 3 is not installed: install it with a C\+\+ compiler/, {
      PATH: path,
    });
    expect(readFileSync(installation.log, 'utf8')).toContain('gyp ERR! find Python');
  });

  it.for([
    ['make', /^g?make$/, /because make is not installed: install make and a C\+\+ compiler/],
    ['a compiler', COMPILER, /because there is no C\+\+ compiler: install one/],
  ] as const)('OP-6 with Python and without %s: names it', async (each, { skip }) => {
    const [, missing, sentence] = each;
    if (sqliteBindingName() === 'node:sqlite') skip('this Node compiles nothing');
    installation = new Installation(REAL_NPM);
    installation.useRealSources();
    const names = readdirSync('/usr/bin').filter((name) => !missing.test(name));
    const programs = names.map((name): [string, string] => [name, join('/usr/bin', name)]);
    const own = { node: process.execPath, python3: python() };
    await expectSentence(sentence, {
      PATH: installation.pathWith({ ...Object.fromEntries(programs), ...own }),
      npm_config_nodedir: dirname(dirname(process.execPath)),
    });
    expect(readFileSync(installation.log, 'utf8')).toContain('gyp info find Python using');
  });

  it('OP-6 without headers: names where they were looked for', async ({ skip }) => {
    if (sqliteBindingName() === 'node:sqlite') skip('this Node compiles nothing');
    installation = new Installation(REAL_NPM);
    installation.useRealSources();
    await expectSentence(/the directory that npm_config_nodedir names has no headers of Node/, {
      npm_config_nodedir: installation.directory,
    });
    expect(readFileSync(installation.log, 'utf8')).toContain('common.gypi not found');
  });

  it('OP-6 with the headers of another Node: says so, though the build itself went well', async ({
    skip,
  }) => {
    if (sqliteBindingName() === 'node:sqlite') skip('this Node compiles nothing');
    installation = new Installation(OTHER_NODE);
    await expectSentence(/the headers that it was compiled with are of another Node/);
    expect(readFileSync(installation.log, 'utf8')).toContain('NODE_MODULE_VERSION 137');
  });
});

describe('the program where better-sqlite3 is not installed', () => {
  it('OP-2 OP-3 starts with the SQLite of Node, or names what is missing and both solutions', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-without-'));
    try {
      cpSync(dirname(PROGRAM), join(directory, 'dist'), { recursive: true });
      const child = spawn(process.execPath, [join(directory, 'dist/stoa.js'), 'serve'], {
        env: { ...cleanEnvironment(), STOA_HOME: directory, STOA_PORT: '0', STOA_LOBBY: 'off' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          const wasReady = output.includes('Stoa is ready');
          output += text;
          if (!wasReady && output.includes('Stoa is ready')) child.kill('SIGTERM');
        });
      }
      const [code] = (await once(child, 'close')) as [number | null];
      if (sqliteBindingName() === 'node:sqlite') {
        expect(code, output).toBe(0);
        expect(output).toContain('Stoa is ready');
        return;
      }
      expect(code).toBe(1);
      expect(output).toContain('sqlite_missing');
      expect(output).toMatch(
        /Node \S+ has no SQLite of its own, and better-sqlite3 cannot be loaded/,
      );
      expect(output).toMatch(/Use Node 22\.13 or newer .*, or install a C\+\+ compiler/);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
