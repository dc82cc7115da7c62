import type { AgentDefinition } from '@stoa/protocol';
import { z } from 'zod';
import type { ToolDescription } from '../call-tools.js';
import type { Tool } from './tool.js';

/** The tools that an agent selects, in their order. Of two with the same name, the first is used. */
export function selectTools(
  tools: readonly Tool[],
  selection: AgentDefinition['tools'],
): ReadonlyMap<string, Tool> {
  const selected = new Map<string, Tool>();
  for (const tool of tools) {
    const isWanted = selection?.only?.includes(tool.name) ?? true;
    const isUnwanted = selection?.without?.includes(tool.name) ?? false;
    if (isWanted && !isUnwanted && !selected.has(tool.name)) selected.set(tool.name, tool);
  }
  return selected;
}

export function describeTool({ name, description, input, inputSchema }: Tool): ToolDescription {
  const schema = inputSchema ?? z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema: schema };
}

export function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): string {
  return `There is no tool ${name.slice(0, NAME_CHARS)}. There are: ${[...tools.keys()].join(', ')}`;
}

const NAME_CHARS = 100;
