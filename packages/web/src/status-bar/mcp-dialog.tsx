import { useMcpServers } from '../data/work.js';
import { Dialog } from '../ui/dialog.js';

/** Which MCP servers cannot be reached, and why. */
export function McpDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: servers = [] } = useMcpServers();
  const offline = servers.filter(({ state }) => state === 'offline');
  return (
    <Dialog title="MCP servers" onClose={onClose}>
      {offline.length === 0 ? (
        <p className="text-[13px] text-soft">All MCP servers are online again.</p>
      ) : null}
      <ul className="space-y-3">
        {offline.map(({ agentId, name, reason }) => (
          <li key={`${agentId} ${name}`} className="text-[13px]">
            <p>
              <b className="font-semibold">{name}</b>
              <span className="text-soft"> of {agentId} is offline</span>
            </p>
            {reason === undefined ? null : (
              <p className="mt-0.5 font-mono text-xs break-words whitespace-pre-wrap text-soft">
                {reason}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
