import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const FIXTURE = join(import.meta.dirname, 'fixtures/bookmarks');

/** Adds one line to a file: at its end, or after the first line that begins with `after`. */
export interface Edit {
  readonly file: string;
  readonly after?: string;
  readonly line: string;
}

export const EDITS = JSON.parse(readFileSync(join(FIXTURE, 'edits.json'), 'utf8')) as Edit[];

/** What the program is built from, and the rules for it. */
const SOURCES =
  /^(?:packages\/(?:\w+\/package\.json|(?!web|testkit)\w+\/src\/)|scripts\/|[^/]*\.(?:cjs|json|md)$)/;
const TEST = /\.(?:test|fixture)\.ts$/;

/**
 * A copy of the sources in a temporary directory, with the noun of the fixture: its folders, and one line for each of
 * the edits. It uses the dependencies that are installed here, except that `@stoa/…` are its own packages.
 */
export class TreeWithNoun {
  readonly directory = mkdtempSync(join(tmpdir(), 'stoa-noun-'));
  readonly program = join(this.directory, 'packages/cli/dist/stoa.js');

  constructor(edits: readonly Edit[] = EDITS) {
    this.#copySources();
    this.#linkDependencies();
    for (const folder of ['packages', 'docs']) {
      cpSync(join(FIXTURE, folder), join(this.directory, folder), { recursive: true });
    }
    const next = Math.max(...this.#migrationVersions()) + 1;
    this.#change('packages/store/src/bookmarks/migration.ts', (text) =>
      text.replace(/version: 0,.*/, `version: ${String(next)},`),
    );
    for (const { file, after, line } of edits) {
      this.#change(file, (text) => {
        const lines = text.trimEnd().split('\n');
        const anchor = lines.findIndex((one) => after !== undefined && one.startsWith(after));
        lines.splice(anchor === -1 ? lines.length : anchor + 1, 0, line);
        return `${lines.join('\n')}\n`;
      });
    }
  }

  /** Runs a Node program in it, and returns everything that it printed. */
  run(...args: readonly string[]): string {
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.directory,
      encoding: 'utf8',
    });
    return stdout + stderr;
  }

  read(file: string): string {
    return readFileSync(join(this.directory, file), 'utf8');
  }

  write(file: string, content: object): void {
    writeFileSync(join(this.directory, file), JSON.stringify(content));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #copySources(): void {
    const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of files.split('\0')) {
      if (!SOURCES.test(file) || TEST.test(file) || !existsSync(join(ROOT, file))) continue;
      cpSync(join(ROOT, file), join(this.directory, file));
    }
  }

  #linkDependencies(): void {
    const packages = readdirSync(join(this.directory, 'packages'));
    const links = [
      ...readdirSync(join(ROOT, 'node_modules'))
        .filter((name) => name !== '@stoa')
        .map((name) => [join(ROOT, 'node_modules', name), join('node_modules', name)]),
      ...packages.map((name) => [
        join(this.directory, 'packages', name),
        join('node_modules/@stoa', name),
      ]),
      ...packages.map((name) => [
        join(ROOT, 'packages', name, 'node_modules'),
        join('packages', name, 'node_modules'),
      ]),
    ] as const;
    mkdirSync(join(this.directory, 'node_modules/@stoa'), { recursive: true });
    for (const [target = '', link = ''] of links) {
      if (existsSync(target)) symlinkSync(target, join(this.directory, link));
    }
  }

  #migrationVersions(): readonly number[] {
    const store = join(this.directory, 'packages/store/src');
    return readdirSync(store, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(join(store, name), 'utf8').matchAll(/^ {2}version: (\d+),/gm),
      ])
      .map(([, version]) => Number(version));
  }

  #change(file: string, change: (text: string) => string): void {
    const path = join(this.directory, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
}
