import { LIMITS, StoaError } from '@stoa/protocol';
import { INDEX_FILE, type MemoryFiles, type MemoryFolder } from '../memory/memory-files.js';
import { indexText, oneLine, topicsOf } from '../memory/topics.js';

/** Names of new files. Files of people can have other names and keep them. */
const NEW_NAME = /^[a-z0-9][a-z0-9-]{0,59}\.md$/;

interface AppliedDraft {
  readonly written: string[];
  readonly warnings: string[];
  readonly unwritten: string[];
}

/**
 * The files of a memory while a dream works on them. Nothing is written before the dream is done, so a cancelled or failed
 * dream leaves the memory unchanged, and files that a person edited meanwhile are not overwritten. Files are named without
 * a path.
 */
export class DraftFolder {
  readonly #base: ReadonlyMap<string, string>;
  /** Null: the file will be removed. */
  readonly #changes = new Map<string, string | null>();
  readonly #lines = new Map<string, string>();
  /** Files that could not be read. They are not overwritten. */
  readonly #unread: ReadonlySet<string>;

  constructor(folder: MemoryFolder) {
    const topics = folder.files.filter(({ name }) => name !== INDEX_FILE);
    this.#base = new Map(topics.map(({ name, text }) => [name, text]));
    this.#unread = new Set(folder.problems.map(({ name }) => name));
    for (const { name, line } of topicsOf(folder, 'shared')) this.#lines.set(name, line);
  }

  /** The changed files, in the order of their first change. */
  get touched(): string[] {
    return [...this.#changes.keys()];
  }

  get names(): string[] {
    const names = new Set([...this.#base.keys(), ...this.#changes.keys()]);
    return [...names].filter((name) => this.read(name) !== undefined).sort();
  }

  lineOf(name: string): string {
    return this.#lines.get(name) ?? '';
  }

  read(name: string): string | undefined {
    const change = this.#changes.get(name);
    return change === undefined ? this.#base.get(name) : (change ?? undefined);
  }

  write(name: string, line: string, text: string): void {
    if (!this.#base.has(name) && !(NEW_NAME.test(name) && name !== INDEX_FILE.toLowerCase())) {
      const rule = 'lower case letters, digits and hyphens, and .md at the end; no path';
      throw new StoaError('invalid_request', `${name} is no name for a topic: ${rule}`);
    }
    if (this.#unread.has(name)) {
      throw new StoaError('invalid_request', `${name} cannot be read and stays unchanged`);
    }
    if (new TextEncoder().encode(text).length > LIMITS.memoryFileBytes) {
      throw new StoaError('invalid_request', `${name} would be too large; split it`);
    }
    if (this.read(name) === undefined && this.names.length >= LIMITS.memoryFiles - 1) {
      throw new StoaError('limit_reached', 'There are too many topics; merge some first');
    }
    this.#changes.set(name, text.endsWith('\n') ? text : `${text}\n`);
    this.#lines.set(name, oneLine(line));
  }

  remove(name: string): void {
    if (this.read(name) === undefined)
      throw new StoaError('memory_file_not_found', `There is no topic ${name}`);
    this.#changes.set(name, null);
  }

  /** Writes the changes. Returns the files it wrote, warnings, and the files it did not overwrite. */
  async apply(files: MemoryFiles, directory: string): Promise<AppliedDraft> {
    const now = await files.read(directory);
    const current = new Map(now.files.map(({ name, text }) => [name, text]));
    const unread = new Set(now.problems.map(({ name }) => name));
    const written: string[] = [];
    const warnings: string[] = [];
    const unwritten: string[] = [];
    for (const [name, text] of this.#writesFirst()) {
      if (unread.has(name) || current.get(name) !== this.#base.get(name)) {
        warnings.push(`${name} was changed by somebody meanwhile and stays unchanged`);
        this.#lines.delete(name);
        if (text !== null) unwritten.push(name);
      } else if (text !== null) {
        await files.write(directory, name, text);
        written.push(name);
      } else if (unwritten.length > 0) {
        warnings.push(`${name} was not removed, because other changes could not be written`);
      } else {
        await files.remove(directory, name);
        written.push(name);
      }
    }
    if (written.length > 0) await this.#writeIndex(files, directory);
    return { written, warnings, unwritten };
  }

  /** A merged topic is written before its sources are removed. */
  #writesFirst(): [string, string | null][] {
    const all = [...this.#changes];
    return [...all.filter(([, text]) => text !== null), ...all.filter(([, text]) => text === null)];
  }

  /** Lines that a person wrote stay, unless the dream rewrote the topic. */
  async #writeIndex(files: MemoryFiles, directory: string): Promise<void> {
    const topics = topicsOf(await files.read(directory), 'shared').map(({ name, line }) => {
      const own = this.#changes.has(name) ? this.#lines.get(name) : undefined;
      return { name, line: own === undefined || own === '' ? line : own };
    });
    await files.write(directory, INDEX_FILE, indexText(topics));
  }
}
