import { mcpLabel } from '@stoa/client';
import { useMcpServers } from '../data/work.js';
import { openMcpServers } from './opened.js';

/** How many MCP servers cannot be reached; nothing while all is well. */
export function McpHealth() {
  const { data: servers = [] } = useMcpServers();
  const label = mcpLabel(servers);
  if (label === undefined) return null;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={openMcpServers}
      className="flex items-center gap-1.5 whitespace-nowrap text-danger hover:underline"
    >
      <span className="size-1.5 rounded-full bg-danger" />
      {label}
    </button>
  );
}
