import { createHash } from 'node:crypto';
import type { CallToolResult, ContentBlock, Tool as McpTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { plainText } from '../envelope.js';
import { cutText } from '../tools/cut-text.js';
import { defineTool, type Tool, type ToolOutput } from '../tools/tool.js';

const NAME_CHARS = 64;
const DESCRIPTION_CHARS = 4_000;
const SCHEMA_CHARS = 50_000;
const TOOLS = 200;

export interface OfferedServer {
  readonly name: string;
  readonly tools: readonly McpTool[];
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult>;
}

type Input = Record<string, unknown>;

/** The tools of a server as tools of an agent, with limits on their number, descriptions and schemas. */
export async function serverTools(server: OfferedServer): Promise<Tool[]> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  const validator = new AjvJsonSchemaValidator();
  const names = new Set<string>();
  const tools: Tool[] = [];
  for (const offered of server.tools.slice(0, TOOLS)) {
    if (JSON.stringify(offered.inputSchema).length > SCHEMA_CHARS) continue;
    const name = nameOf(server.name, offered.name);
    if (names.has(name)) continue;
    names.add(name);
    tools.push(toolOf(server, offered, name, checkOf(validator, offered)));
  }
  return tools;
}

type Check = (input: Input) => string | undefined;
type Validate = (input: unknown) => {
  readonly valid: boolean;
  readonly errorMessage?: string | undefined;
};

/** Checks input against the server's schema. If the schema is invalid, the server must check. */
function checkOf(
  validator: { getValidator(schema: never): Validate },
  { inputSchema }: McpTool,
): Check {
  let validate: Validate | undefined;
  return (input) => {
    try {
      validate ??= validator.getValidator(inputSchema as never);
    } catch {
      return undefined;
    }
    const { valid, errorMessage } = validate(input);
    return valid ? undefined : (errorMessage ?? 'it does not match the schema');
  };
}

function toolOf(server: OfferedServer, offered: McpTool, name: string, check: Check): Tool {
  const { name: tool, title, description = '' } = offered;
  return defineTool<Input>({
    name,
    description: cutText(plainText(description || (title ?? tool)), DESCRIPTION_CHARS),
    input: z
      .preprocess((given) => given ?? {}, z.record(z.string(), z.unknown()))
      .superRefine((input, context) => {
        const problem = check(input);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
    inputSchema: offered.inputSchema,
    kind: 'other',
    title: (input) => `${server.name}: ${tool} ${JSON.stringify(input)}`,
    subjects: () => Promise.resolve([{ type: 'mcp', server: server.name, tool }]),
    async execute(input, { signal }) {
      return outputOf(await server.call(tool, input, signal));
    },
  });
}

/** `mcp__server__tool`, with characters and a length that every provider accepts. */
export function nameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (plain === name && name.length <= NAME_CHARS) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain.slice(0, NAME_CHARS - 9)}_${digest}`;
}

/** Whether this may be the name of a tool of this server. */
export function isToolNameOf(server: string, name: string): boolean {
  return name.startsWith(`mcp__${server}__`.slice(0, NAME_CHARS - 9));
}

export function outputOf({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const text = content.map(textOf).join('\n');
  const data = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  return { text: text || data || '[No output]', ...(isError === true ? { isError } : {}) };
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, not shown]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, not text]`;
  }
}
