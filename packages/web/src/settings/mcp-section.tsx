import type { McpServerHealth, McpServerState } from '@stoa/protocol';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { Mark, Row, Rows, Section } from './section.js';

const LOOK_AGAIN_MS = 5_000;

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
  const { data: servers, error } = useQuery({
    queryKey: ['mcp-servers'],
    queryFn: () => client.agents.mcpServers(),
    refetchInterval: LOOK_AGAIN_MS,
  });
  return (
    <Section
      title="MCP servers"
      about="Servers that agents get tools from. They are part of the definition of their agent."
    >
      {error ? <p className="text-[13px] text-danger">{error.message}</p> : null}
      {servers?.length === 0 ? (
        <p className="text-[13px] text-soft">
          No agent has one. Give an agent servers in its definition, under Agents.
        </p>
      ) : (
        <Rows label="MCP servers">
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
            <p>
              {state === 'idle' ? 'It is asked for its tools when a run needs it.' : 'No tools.'}
            </p>
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
