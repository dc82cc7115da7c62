import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const squeeze = promisify(gzip);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface WebFile {
  readonly type: string;
  readonly bytes: Buffer;
  squeezed: Promise<Buffer> | undefined;
}

interface Built {
  readonly page: Buffer;
  readonly files: ReadonlyMap<string, WebFile>;
}

/** Identifies the build; written when all files are complete. */
const STAMP = '.build-stamp';

/**
 * The web UI as built when it was first requested, which is the version of this daemon. All files are kept in memory,
 * one or two megabytes: a new build replaces the old one, but open pages may still request its files.
 */
export class WebFiles {
  private built: Built | undefined;

  constructor(private readonly directory: string) {}

  /** Undefined if it has not been built, and while it is being replaced. */
  page(): Buffer | undefined {
    return this.read()?.page;
  }

  /** Compressed if `canUnzip`: a script shrinks to a third. */
  async asset(
    name: string,
    canUnzip: boolean,
  ): Promise<
    { readonly type: string; readonly bytes: Buffer; readonly isZipped: boolean } | undefined
  > {
    const file = this.read()?.files.get(name);
    if (!file) return undefined;
    const { type } = file;
    if (!canUnzip) return { type, bytes: file.bytes, isZipped: false };
    file.squeezed ??= squeeze(file.bytes);
    return { type, bytes: await file.squeezed, isZipped: true };
  }

  private read(): Built | undefined {
    this.built ??= built(this.directory);
    return this.built;
  }
}

function built(directory: string): Built | undefined {
  try {
    const stamp = readFileSync(join(directory, STAMP), 'utf8');
    const page = readFileSync(join(directory, 'index.html'));
    const assets = join(directory, 'assets');
    const files = readdirSync(assets).flatMap((name): [string, WebFile][] => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      return [[name, { type, bytes: readFileSync(join(assets, name)), squeezed: undefined }]];
    });
    const isWhole = readFileSync(join(directory, STAMP), 'utf8') === stamp;
    return isWhole ? { page, files: new Map(files) } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
