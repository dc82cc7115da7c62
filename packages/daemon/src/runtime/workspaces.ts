import { promises as fs } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { RuntimePorts, Workspaces } from '@stoa/core';
import { StoaError } from '@stoa/protocol';

const INSTRUCTIONS_FILE = 'AGENTS.md';
const MAX_INSTRUCTION_BYTES = 64 * 1024;

export interface WorkspaceSetting {
  readonly path: string;
  readonly shared: boolean;
  readonly trusted: boolean;
  readonly approve: 'owner' | 'self';
}

/** Directories that agents work in. */
export class DiskWorkspaces implements Workspaces {
  constructor(
    private readonly home: string,
    private readonly fallback: string,
    private readonly settings: readonly WorkspaceSetting[],
    private readonly diagnose: RuntimePorts['diagnose'],
  ) {}

  async resolve(workspace: string | undefined): Promise<string> {
    const asked = workspace ?? this.fallback;
    let path: string;
    try {
      path = await fs.realpath(asked);
      if (!(await fs.stat(path)).isDirectory()) throw new Error('not a directory');
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StoaError('invalid_workspace', `${asked} cannot be worked in: ${why}`);
    }
    const home = await fs.realpath(this.home);
    if (isInside(path, home)) {
      throw new StoaError('invalid_workspace', 'The data directory cannot be a workspace');
    }
    return path;
  }

  async instructions(workspace: string): Promise<string | undefined> {
    // Loaded late, like all of the agent package; creating a session needs it anyway.
    const { WorkspaceFiles } = await import('@stoa/agent');
    try {
      const files = await WorkspaceFiles.of({ workspace, home: this.home });
      const text = (await files.read(INSTRUCTIONS_FILE, MAX_INSTRUCTION_BYTES))?.text.trim();
      return text === '' ? undefined : text;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.diagnose('the instructions of a workspace were not read', { workspace, why });
      return undefined;
    }
  }

  isShared(workspace: string): boolean {
    return this.#covers(workspace, ({ shared }) => shared);
  }

  isSelfApproved(workspace: string): boolean {
    return this.#covers(workspace, ({ approve }) => approve === 'self');
  }

  isTrusted(workspace: string): boolean {
    return this.#covers(workspace, ({ trusted }) => trusted);
  }

  #covers(workspace: string, is: (setting: WorkspaceSetting) => boolean): boolean {
    return this.settings.some((setting) => is(setting) && isInside(workspace, setting.path));
  }
}

/** True for the directory itself too. */
function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
