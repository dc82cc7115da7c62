import type { McpServerHealth, McpServerState } from '@stoa/protocol';
import { useMcpServers } from '../data/work.js';
import { Mark, Row, Rows, Section } from './section.js';

const STATES: Readonly<
  Record<
    McpServerState,
    { readonly word: string; readonly look: 'plain' | 'good' | 'warn' | 'danger' }
  >
> = {
  idle: { word: 'idle', look: 'plain' },
  connecting: { word: 'connecting', look: 'warn' },
  online: { word: 'online', look: 'good' },
  offline: { word: 'offline', look: 'danger' },
};

export function McpSection() {
  const { data: servers, error } = useMcpServers();
  return (
    <Section
      title="MCP servers"
      about="Servers that provide tools to agents. The definition of an agent lists its servers."
    >
      {servers?.length === 0 ? (
        <p className="text-[13px] text-soft">
          No agent has an MCP server. Add servers to the definition of an agent, under Agents.
        </p>
      ) : (
        <Rows label="MCP servers" error={servers ? null : error}>
          {servers?.map((server) => (
            <ServerRow key={`${server.agentId}/${server.name}`} server={server} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function ServerRow({
  server: { agentId, name, state, reason, tools },
}: {
  readonly server: McpServerHealth;
}) {
  const { word, look } = STATES[state];
  return (
    <Row
      title={name}
      mark={<Mark look={look}>{word}</Mark>}
      about={
        <>
          <p>of {agentId}</p>
          {reason === undefined ? null : <p className="text-danger">{reason}</p>}
          {tools.length === 0 ? (
            <p>{state === 'idle' ? 'Its tools are listed when a run needs it.' : 'No tools.'}</p>
          ) : (
            <details>
              <summary className="cursor-pointer">
                {tools.length} {tools.length === 1 ? 'tool' : 'tools'}
              </summary>
              <p className="font-mono">{tools.join(', ')}</p>
            </details>
          )}
        </>
      }
    />
  );
}
