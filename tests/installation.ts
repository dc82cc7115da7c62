import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '@stoa/testkit';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const RUN = `
import { startInstalling } from './scripts/install.mjs';
import { command } from './scripts/run.mjs';
await command(async () => {
  const { compiled } = await startInstalling();
  await compiled?.();
  return 0;
});
`;

export interface Installed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A checkout with the scripts that install, and one dependency: better-sqlite3. npm is a program that answers
 * `npm ci` by putting that there; `rebuild` is the code that runs for `npm rebuild better-sqlite3`.
 */
export class Installation {
  readonly directory = mkdtempSync(join(tmpdir(), 'stoa-install-'));
  readonly log = join(this.directory, 'node_modules/.stoa-sqlite-build.log');
  readonly calls = join(this.directory, 'calls');
  readonly #npm = join(this.directory, 'npm.js');

  constructor(rebuild: string) {
    cpSync(join(ROOT, 'scripts'), join(this.directory, 'scripts'), { recursive: true });
    const manifest = {
      name: 'checkout',
      private: true,
      optionalDependencies: { 'better-sqlite3': '12.11.1' },
    };
    const named = { ...manifest, allowScripts: { 'better-sqlite3': true } };
    writeFileSync(join(this.directory, 'package.json'), JSON.stringify(named));
    writeFileSync(
      join(this.directory, 'package-lock.json'),
      JSON.stringify({ ...manifest, lockfileVersion: 3, packages: { '': manifest } }),
    );
    writeFileSync(join(this.directory, 'run.mjs'), RUN);
    mkdirSync(join(this.directory, 'installed'));
    // What npm would fetch.
    const library = join(this.directory, 'installed/better-sqlite3');
    mkdirSync(library);
    writeFileSync(join(library, 'package.json'), '{"name":"better-sqlite3","version":"12.11.1"}');
    this.#writeNpm(rebuild);
  }

  /** Instead of the stand-in: the sources of the real one, not yet compiled. */
  useRealSources(): void {
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
      const target = join(this.directory, 'installed', name);
      rmSync(target, { recursive: true, force: true });
      execFileSync('cp', ['-a', join(ROOT, 'node_modules', name), target]);
    }
    rmSync(join(this.directory, 'installed/better-sqlite3/build'), {
      recursive: true,
      force: true,
    });
  }

  /** A PATH with nothing but these programs. */
  pathWith(programs: Readonly<Record<string, string>>): string {
    const bin = join(this.directory, 'bin');
    mkdirSync(bin);
    for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(bin, name));
    return bin;
  }

  async run(env: Readonly<Record<string, string>> = {}): Promise<Installed> {
    const child = spawn(process.execPath, [join(this.directory, 'run.mjs')], {
      env: { ...cleanEnvironment(), npm_execpath: this.#npm, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => (output[name] += chunk));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  }

  has(file: string): boolean {
    return existsSync(join(this.directory, file));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #writeNpm(rebuild: string): void {
    const source = `
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const args = process.argv.slice(2);
process.chdir(${JSON.stringify(this.directory)});
fs.appendFileSync('calls', args.filter((arg) => !arg.startsWith('--')).join(' ') + '\\n');
if (args[0] === 'ci') fs.cpSync('installed', 'node_modules', { recursive: true });
if (args[0] === 'rebuild' && args.includes('better-sqlite3')) { ${rebuild} }
`;
    writeFileSync(this.#npm, source);
    chmodSync(this.#npm, 0o755);
  }
}
