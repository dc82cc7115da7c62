import { createHash } from 'node:crypto';
import type { AssetFiles } from '@stoa/core';
import { StoaError } from '@stoa/protocol';

/** What outlives a process: the files, and whether there is room for more. */
export interface AssetDisk {
  readonly files: Map<string, Uint8Array>;
  full: boolean;
}

/**
 * Asset files in memory, with the promises of the ones on disk: a file that has its name is whole,
 * writing the same bytes again is free, and when there is no room nothing is left behind.
 */
export class VirtualAssetFiles implements AssetFiles {
  /** `pace` is awaited before every operation takes effect. */
  constructor(
    private readonly disk: AssetDisk,
    private readonly pace: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async write(bytes: Uint8Array): Promise<{ digest: string; mediaType: string }> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (!(await this.exists(digest))) {
      await this.pace();
      if (this.disk.full) throw new StoaError('storage_full', 'The disk is full');
      this.disk.files.set(digest, bytes.slice());
    }
    return { digest, mediaType: 'text/plain; charset=utf-8' };
  }

  async exists(digest: string): Promise<boolean> {
    await this.pace();
    return this.disk.files.has(digest);
  }

  async read(digest: string): Promise<Uint8Array> {
    await this.pace();
    const bytes = this.disk.files.get(digest);
    if (!bytes) throw new StoaError('asset_not_found', `There is no file ${digest}`);
    return bytes;
  }

  async remove(digest: string): Promise<void> {
    await this.pace();
    this.disk.files.delete(digest);
  }
}
