import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AssetFiles } from '@stoa/core';
import { sniffMediaType } from './sniff.js';
import { asStorageError } from './storage-error.js';

/** Files named by the digest of their content; they are complete and synced before they get that name. */
export class DiskAssetFiles implements AssetFiles {
  constructor(private readonly root: string) {}

  pathOf(digest: string): string {
    return join(this.root, digest.slice(0, 2), digest);
  }

  async write(bytes: Uint8Array): Promise<{ digest: string; mediaType: string }> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (!(await this.exists(digest))) await this.#writeNew(digest, bytes);
    return { digest, mediaType: sniffMediaType(bytes) };
  }

  async exists(digest: string): Promise<boolean> {
    try {
      await access(this.pathOf(digest), constants.R_OK);
      return true;
    } catch {
      return false;
    }
  }

  read(digest: string): Promise<Uint8Array> {
    return readFile(this.pathOf(digest));
  }

  async remove(digest: string): Promise<void> {
    await rm(this.pathOf(digest), { force: true });
  }

  async #writeNew(digest: string, bytes: Uint8Array): Promise<void> {
    const path = this.pathOf(digest);
    const folder = dirname(path);
    const temporary = join(folder, `.${randomUUID()}.partial`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
      await syncFolder(folder);
    } catch (error) {
      await rm(temporary, { force: true });
      throw asStorageError(error);
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
