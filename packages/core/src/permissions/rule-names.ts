import type { ToolKind, ToolRequest } from './request.js';

const BY_TOOL: Readonly<Record<string, string>> = {
  read_file: 'Read',
  glob: 'Read',
  grep: 'Read',
  write_file: 'Edit',
  edit_file: 'Edit',
  web_fetch: 'Fetch',
};

/** The name of a tool in rules: `send_message` is `SendMessage`. */
export function ruleNameOf(tool: string): string {
  if (Object.hasOwn(BY_TOOL, tool)) return BY_TOOL[tool] ?? tool;
  return tool
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** Names of rules that depend on the subject of a call, not on the name of the tool. */
const BY_SUBJECT: ReadonlySet<string> = new Set([
  ...['Shell', 'Monitor', 'Read', 'Edit', 'Fetch', 'Mcp'],
]);

export function isBySubject(name: string): boolean {
  return BY_SUBJECT.has(name);
}

/**
 * The names of the rules that can allow a request. They depend on its subject: a tool of another program that edits a file needs
 * `Edit`, no matter what its name is. A monitor, which runs a command, can be allowed by `Shell` and by `Monitor`.
 */
export function allowingNames({ tool, kind, subject }: ToolRequest): ReadonlySet<string> {
  const names = new Set<string>();
  const own = ruleNameOf(tool);
  if (subject.type !== 'mcp' && !isBySubject(own)) names.add(own);
  switch (subject.type) {
    case 'mcp':
      return names.add('Mcp');
    case 'shell':
      if (own === 'Monitor') names.add('Monitor');
      return names.add('Shell');
    case 'url':
      return names.add('Fetch');
    case 'path':
      return names.add(onlyReads(kind) ? 'Read' : 'Edit');
    case 'input':
      return new Set();
    case 'none':
      return names;
  }
}

/** The names of the rules that can forbid a request: those that can allow it, the name of its tool, and all its effects. */
export function forbiddingNames(request: ToolRequest): ReadonlySet<string> {
  const { tool, kind, subject } = request;
  const names = new Set([...allowingNames(request), ruleNameOf(tool)]);
  if (subject.type === 'input') names.add('Shell');
  if (subject.type === 'path' && !onlyReads(kind) && kind !== 'edit') names.add('Read');
  return names;
}

function onlyReads(kind: ToolKind): boolean {
  return kind === 'read' || kind === 'search' || kind === 'ask' || kind === 'speak';
}
