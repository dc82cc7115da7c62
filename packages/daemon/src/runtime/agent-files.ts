import { join } from 'node:path';
import type { BoundedText } from '@stoa/agent';
import type { AgentFile, AgentFiles } from '@stoa/core';
import { AgentDefinition, AgentId, driverSpec } from '@stoa/protocol';
import { isMap, parseDocument } from 'yaml';

const MAX_FILE_BYTES = 512 * 1024;
const MAX_FILES = 500;

/**
 * Agents in Markdown files: front matter with the fields of a definition, then the instructions. Those of a workspace
 * come with its checkout, so unless the workspace is trusted they may not give themselves more than mode `ask`, nor
 * replace another agent.
 */
export class DiskAgentFiles implements AgentFiles {
  constructor(
    private readonly home: string,
    private readonly isTrusted: (workspace: string) => boolean,
  ) {}

  async list(workspace?: string): Promise<readonly AgentFile[]> {
    // Loaded late, like all of the agent package; listing agents needs it anyway.
    const { fileNames, readPlainFile, WorkspaceFiles } = await import('@stoa/agent');
    const directory = join(this.home, 'agents');
    const names = await fileNames(directory).catch(() => []);
    const own = await readAgents(directory, names, (path) => readPlainFile(path, MAX_FILE_BYTES));
    if (workspace === undefined) return own;
    const files = await WorkspaceFiles.of({ workspace, home: this.home });
    const folder = join(workspace, '.stoa', 'agents');
    const theirs = await readAgents(folder, await files.names(folder), (path) =>
      files.read(path, MAX_FILE_BYTES),
    );
    const admitted = this.isTrusted(workspace) ? theirs : theirs.map(withoutExtraTrust);
    return [...admitted, ...own];
  }
}

type Read = (path: string) => Promise<BoundedText | undefined>;

function readAgents(directory: string, names: readonly string[], read: Read): Promise<AgentFile[]> {
  const files = names.filter((name) => name.endsWith('.md')).slice(0, MAX_FILES);
  return Promise.all(
    files.map((name) => readAgent(join(directory, name), name.slice(0, -3), read)),
  );
}

async function readAgent(path: string, name: string, read: Read): Promise<AgentFile> {
  const agentId = name.toLowerCase();
  if (!AgentId.safeParse(agentId).success) {
    return { agentId: safeId(agentId), path, problem: `${name} is not a name an agent can have` };
  }
  try {
    const found = await read(path);
    if (!found) return { agentId, path, problem: 'The file is gone' };
    if (!found.isWhole) return { agentId, path, problem: 'The file is too large' };
    return parseAgent(agentId, path, found.text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { agentId, path, problem };
  }
}

const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function parseAgent(agentId: string, path: string, text: string): AgentFile {
  const match = FRONT_MATTER.exec(text);
  if (!match) {
    return {
      agentId,
      path,
      problem: 'The file does not begin with front matter between --- lines',
    };
  }
  const document = parseDocument(match[1] ?? '', { uniqueKeys: true });
  const [error] = document.errors;
  if (error) {
    const line = (error.linePos?.[0].line ?? 0) + 1;
    return { agentId, path, problem: `line ${String(line)}: ${firstLine(error.message)}` };
  }
  if (!isMap(document.contents)) return { agentId, path, problem: 'The front matter is empty' };
  const instructions = text.slice(match[0].length).trim();
  const fields = document.toJS() as Record<string, unknown>;
  const parsed = AgentDefinition.safeParse({ instructions, ...fields });
  if (parsed.success) return { agentId, path, definition: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') ?? '';
  return { agentId, path, problem: `${where === '' ? '' : `${where}: `}${issue?.message ?? ''}` };
}

function withoutExtraTrust(found: AgentFile): AgentFile {
  const file = { ...found, isUntrusted: true };
  if (!('definition' in file)) return file;
  const { driver, mode, permissions, mcpServers } = file.definition;
  const asks = [
    ...(mode === 'auto-edit' || mode === 'full' ? [`mode ${mode}`] : []),
    ...(permissions?.allow?.length ? ['allow rules'] : []),
    ...(driverSpec(driver.kind).program ? ['a program of its own'] : []),
    ...(mcpServers && Object.keys(mcpServers).length > 0 ? ['MCP servers'] : []),
  ];
  if (asks.length === 0) return file;
  const problem = `It asks for ${asks.join(', ')}, and the workspace is not trusted: list it under workspaces with trusted: true`;
  return { agentId: file.agentId, path: file.path, isUntrusted: true, problem };
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A file whose name is not an id is still listed, under a name that is one. */
function safeId(name: string): string {
  const id = name
    .replaceAll(/[^a-z0-9._-]/g, '-')
    .replaceAll(/^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/g, '');
  return id.slice(0, 64) || 'unnamed';
}
