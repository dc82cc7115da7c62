import type { MemoryPart } from '@stoa/protocol';

export interface FoundFile {
  readonly name: string;
  readonly text: string;
  readonly updatedAt: number;
}

export interface MemoryFolder {
  /** By name. */
  readonly files: readonly FoundFile[];
  /** Files that could not be read, and why. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

/**
 * The Markdown files of memories, one directory for each. People edit them with any program, so they are read again each
 * time. Promises: no link is followed, and nothing outside of the directory is read or written.
 */
export interface MemoryFiles {
  /** Empty if the directory does not exist. */
  read(directory: string): Promise<MemoryFolder>;
  /** Atomic: a reader gets the old or the new text. */
  write(directory: string, name: string, text: string): Promise<void>;
  /** False if the file does not exist. */
  remove(directory: string, name: string): Promise<boolean>;
  clear(directory: string): Promise<void>;
  pathOf(directory: string): string;
}

export const INDEX_FILE = 'INDEX.md';
const SLUG_CHARS = 40;
const DIGEST_CHARS = 16;

/**
 * The name of the directory of a memory: its namespace for people to read, and part of its id, because several people can
 * have a memory of that namespace, and a namespace can contain any characters.
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

export interface MemorySettings {
  readonly files: MemoryFiles;
  /** How much of a memory goes into a prompt, in characters. */
  readonly maxPromptChars: number;
}
