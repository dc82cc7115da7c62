import type { MemoryFiles, MemoryFolder } from '@stoa/core';

/** Files of memories that are nowhere but here. */
export class VirtualMemoryFiles implements MemoryFiles {
  readonly folders = new Map<string, Map<string, string>>();
  /** Set to have a disk that cannot be reached. */
  isBroken = false;

  read(directory: string): Promise<MemoryFolder> {
    if (this.isBroken) return Promise.reject(new Error('the disk cannot be reached'));
    const folder = [...(this.folders.get(directory) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const files = folder.map(([name, text]) => ({ name, text, updatedAt: 1 }));
    return Promise.resolve({ files, problems: [] });
  }

  write(directory: string, name: string, text: string): Promise<void> {
    if (this.isBroken) return Promise.reject(new Error('the disk cannot be reached'));
    const folder = this.folders.get(directory) ?? new Map<string, string>();
    this.folders.set(directory, folder.set(name, text));
    return Promise.resolve();
  }

  remove(directory: string, name: string): Promise<boolean> {
    return Promise.resolve(this.folders.get(directory)?.delete(name) ?? false);
  }

  clear(directory: string): Promise<void> {
    this.folders.delete(directory);
    return Promise.resolve();
  }

  pathOf(directory: string): string {
    return `/memory/${directory}`;
  }
}
