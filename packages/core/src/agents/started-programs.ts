import { type AgentDefinition, driverSpec } from '@stoa/protocol';
import type { Subject } from '../permissions/request.js';

/** A program or server that starts with an agent, as the subject of a permission. */
export interface StartedProgram {
  /** One line for people: `MCP server docs: npx docs-server`. */
  readonly label: string;
  readonly subject: Extract<Subject, { type: 'shell' | 'url' }>;
}

/** The programs and servers that start with an agent. Starting the agent executes each of them. */
export function startedPrograms({ driver, mcpServers = {} }: AgentDefinition): StartedProgram[] {
  const programs: StartedProgram[] = [];
  const program = driverSpec(driver.kind).program?.(driver);
  if (program) {
    const line = commandLine(program);
    programs.push({ label: `Program: ${line}`, subject: { type: 'shell', command: line } });
  }
  for (const [name, server] of Object.entries(mcpServers)) {
    if ('url' in server) {
      const { host } = new URL(server.url);
      programs.push({ label: `MCP server ${name}: ${host}`, subject: { type: 'url', host } });
      continue;
    }
    const line = commandLine([server.command, ...(server.args ?? [])]);
    programs.push({
      label: `MCP server ${name}: ${line}`,
      subject: { type: 'shell', command: line },
    });
  }
  return programs;
}

const PLAIN = /^[\w@%+=:,./-]+$/;

const commandLine = (words: readonly string[]): string =>
  words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
