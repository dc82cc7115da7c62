import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What this machine has for the commands and searches of agents. */
interface AgentToolsReport {
  readonly sandbox: {
    readonly hidesHome: boolean;
    readonly summary: string;
    /** What it does not protect. */
    readonly limits: readonly string[];
  };
  /** The path of ripgrep, or why agents search without it. */
  readonly ripgrep:
    | { readonly ok: true; readonly path: string }
    | { readonly ok: false; readonly problem: string };
}

interface CheckedSettings {
  /** `sandbox.writable` of the configuration. */
  readonly writable?: readonly string[];
}

/** Tries the sandbox on a temporary directory: the data directory may not exist yet. */
export async function checkAgentTools({
  writable = [],
}: CheckedSettings = {}): Promise<AgentToolsReport> {
  const { Sandbox } = await import('@stoa/agent');
  const directory = await mkdtemp(join(tmpdir(), 'stoa-sandbox-'));
  try {
    await writeFile(join(directory, 'hidden'), '');
    const tried = new Sandbox({ home: directory, writable });
    const { hidesHome, summary, limits } = await tried.report();
    return {
      sandbox: { hidesHome, summary, limits },
      ripgrep: await tried.programs.find('rg'),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
