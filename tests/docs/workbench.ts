import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cleanEnvironment, PROGRAM } from '@stoa/testkit';
import { build } from 'esbuild';
import { ROOT } from './documents.js';

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error, in the order they were written, as at a terminal. */
  readonly printed: string;
}

const LONGEST_MS = 60_000;

/** A directory of its own in which the blocks of one document run, with `stoa` on the path. */
export class Workbench {
  readonly directory = mkdtempSync(join(tmpdir(), 'stoa-docs-'));
  readonly #env: Readonly<Record<string, string>>;
  #programs = 0;

  constructor(env: Readonly<Record<string, string>>) {
    const programs = join(this.directory, '.bin');
    mkdirSync(programs);
    const stoa = join(programs, 'stoa');
    writeFileSync(stoa, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    chmodSync(stoa, 0o755);
    symlinkSync(join(ROOT, 'node_modules'), join(this.directory, 'node_modules'));
    const clean = cleanEnvironment();
    this.#env = {
      ...clean,
      HOME: this.directory,
      TZ: 'UTC',
      LC_ALL: 'C.UTF-8',
      PATH: [programs, dirname(process.execPath), clean['PATH'] ?? ''].join(delimiter),
      ...env,
    };
  }

  /** Every command must succeed, in pipes too. Variables are kept, as in the terminal of a reader. */
  shell(text: string): Promise<Ran> {
    const kept = join(this.directory, '.variables');
    const before = `exec 2>&1; set -a; if [ -f '${kept}' ]; then . '${kept}'; fi`;
    const script = `${before}\n${text}\nexport -p > '${kept}'`;
    return this.#spawn('bash', ['-euo', 'pipefail', '-c', script]);
  }

  /** Packages of this repository are taken from their sources. */
  async typescript(text: string): Promise<Ran> {
    this.#programs += 1;
    const outfile = join(this.directory, `.block-${this.#programs}.mjs`);
    await build({
      stdin: { contents: text, loader: 'ts', resolveDir: this.directory },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      conditions: ['stoa-source'],
      external: ['pg'],
      logLevel: 'silent',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
    });
    return this.shell(`node --enable-source-maps '${outfile}'`);
  }

  /** The text is a configuration that a daemon would start with. */
  configuration(text: string): Promise<Ran> {
    const file = join(this.directory, '.block.yaml');
    writeFileSync(file, text);
    return this.shell(`stoa config check --config '${file}'`);
  }

  cleanUp(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #spawn(command: string, args: readonly string[]): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: this.directory,
        env: this.#env,
        stdio: ['ignore', 'pipe', 'inherit'],
        timeout: LONGEST_MS,
        killSignal: 'SIGKILL',
      });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
      child.on('error', reject);
      child.on('close', (code) => {
        resolve({ code, printed });
      });
    });
  }
}
