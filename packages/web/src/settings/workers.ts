import type { Agent } from '@stoa/protocol';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { client } from '../data/client.js';
import { useSessions } from '../data/queries.js';
import type { Choice } from './fields.js';

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
      ...(there.length === 0 ? [] : [{ group: 'A session that is there', choices: there }]),
    ],
    first: fresh[0]?.value ?? there[0]?.value,
  };
}

/** The session that was chosen, or a new one of the agent that was: one, however often the form is sent. */
export function useSessionFor(): (choice: string) => Promise<string> {
  const made = useRef(new Map<string, string>());
  return async (choice) => {
    const [kind, id = ''] = choice.split(/:(.*)/s);
    if (kind === 'session') return id;
    const known = made.current.get(id);
    if (known !== undefined) return known;
    const { sessionId } = await client.sessions.create({ agentId: id });
    made.current.set(id, sessionId);
    return sessionId;
  };
}
