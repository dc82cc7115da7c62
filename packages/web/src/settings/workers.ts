import type { Agent } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { useSessions } from '../data/queries.js';
import type { Choice } from './fields.js';
import { SessionFor } from './session-for.js';

export const AGENTS_KEY = ['agents'] as const;

export function useAgents(): UseQueryResult<readonly Agent[]> {
  return useQuery({ queryKey: AGENTS_KEY, queryFn: () => client.agents.list() });
}

interface Workers {
  readonly choices: readonly { readonly group: string; readonly choices: readonly Choice[] }[];
  readonly first: string | undefined;
}

/** Who can be given work: every agent, by a new session, and every session there is. */
export function useWorkers(): Workers {
  const { data: agents = [] } = useAgents();
  const { data: sessions = [] } = useSessions();
  const fresh = agents
    .filter(({ status }) => status === 'ready')
    .map(({ agentId, name }) => ({ value: `agent:${agentId}`, label: name }));
  const there = sessions.map(({ sessionId, agentName, title }) => ({
    value: `session:${sessionId}`,
    label: `${agentName}: ${title ?? sessionId}`,
  }));
  return {
    choices: [
      ...(fresh.length === 0 ? [] : [{ group: 'A new session of', choices: fresh }]),
      ...(there.length === 0 ? [] : [{ group: 'An existing session', choices: there }]),
    ],
    first: fresh[0]?.value ?? there[0]?.value,
  };
}

/** Does something with the session that was chosen, or with a new one of the agent that was. */
export function useSessionFor(): SessionFor {
  const [sessionFor] = useState(() => new SessionFor(client.sessions));
  return sessionFor;
}
