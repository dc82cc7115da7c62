import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What this machine has for the commands and searches of agents. */
interface AgentToolsReport {
  readonly sandbox: { readonly hidesHome: boolean; readonly summary: string };
  /** Where ripgrep is. */
  readonly ripgrep: string | null;
}

/** Tries the sandbox on a directory of its own: the data directory may not be there yet. */
export async function checkAgentTools(): Promise<AgentToolsReport> {
  const { Sandbox, ripgrepPath } = await import('@stoa/agent');
  const directory = await mkdtemp(join(tmpdir(), 'stoa-sandbox-'));
  try {
    await writeFile(join(directory, 'hidden'), '');
    const { hidesHome, summary } = await new Sandbox({ home: directory }).report();
    return { sandbox: { hidesHome, summary }, ripgrep: await ripgrepPath() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
