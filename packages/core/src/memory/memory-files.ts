import type { MemoryPart } from '@stoa/protocol';

/** A file as it was found. */
export interface FoundFile {
  readonly name: string;
  readonly text: string;
  readonly updatedAt: number;
}

export interface MemoryFolder {
  /** By name. */
  readonly files: readonly FoundFile[];
  /** What lies there and was not read, and why. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

/**
 * The Markdown files of memories, a directory each. People edit them with whatever they like, so they are read
 * anew each time. Promises: no link is ever followed, and nothing outside of the directory is read or written.
 */
export interface MemoryFiles {
  /** Nothing where there is no directory. */
  read(directory: string): Promise<MemoryFolder>;
  /** In one step: whoever reads finds the old or the new text. */
  write(directory: string, name: string, text: string): Promise<void>;
  /** False when there was none. */
  remove(directory: string, name: string): Promise<boolean>;
  clear(directory: string): Promise<void>;
  pathOf(directory: string): string;
}

export const INDEX_FILE = 'INDEX.md';
const SLUG_CHARS = 40;
const DIGEST_CHARS = 16;

/**
 * What the directory of a memory is called: for people by its namespace, and for certain by its id, since
 * several people may have a memory of that name and a name may hold anything.
 */
export function memoryDirectory(
  { memoryId, namespace }: { readonly memoryId: string; readonly namespace: string },
  part: MemoryPart,
): string {
  const slug = namespace.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = slug.slice(0, SLUG_CHARS).replaceAll(/^-|-$/g, '') || 'memory';
  const digest = memoryId.slice('mem_'.length).slice(0, DIGEST_CHARS);
  return `${name}-${digest}${part === 'isolated' ? '.isolated' : ''}`;
}

/** How sessions remember. */
export interface MemorySettings {
  readonly files: MemoryFiles;
  /** How much of a memory goes into a prompt, in characters. */
  readonly maxPromptChars: number;
}
