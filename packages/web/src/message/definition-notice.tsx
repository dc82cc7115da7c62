import type { Message } from '@stoa/protocol';
import { useMutation, useQueries } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { keys, queryClient } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { toast } from '../ui/toast.js';
import { markdownOf } from './markdown-of.js';

interface ChangedDefinition {
  readonly agentId: string;
  readonly sessionIds: readonly string[];
}

/** What a message of the system announces about an agent, if it does. */
export function changedDefinitionIn(message: Message): ChangedDefinition | undefined {
  const { author, metadata } = message;
  if (author.kind !== 'system' || !markdownOf(message).startsWith('Definition changed: ')) {
    return undefined;
  }
  const { agentId, sessionIds } = (metadata['definitionChanged'] ?? {}) as {
    readonly agentId?: unknown;
    readonly sessionIds?: unknown;
  };
  if (typeof agentId !== 'string' || !Array.isArray(sessionIds)) return undefined;
  return { agentId, sessionIds: sessionIds.filter((id) => typeof id === 'string') };
}

/** That the definition of an agent changed, with a button that has its sessions here take it over. */
export function DefinitionNotice({ agentId, sessionIds }: ChangedDefinition) {
  const sessions = useQueries({
    queries: sessionIds.map((sessionId) => ({
      queryKey: keys.session(sessionId),
      queryFn: () => client.sessions.get(sessionId),
      retry: false,
      // The definition may have changed since the session was loaded.
      staleTime: 0,
    })),
  });
  const outdated = sessions.flatMap(({ data }) =>
    data?.definitionChanged === true ? [data.sessionId] : [],
  );
  const refresh = useMutation({
    mutationFn: async () => {
      for (const sessionId of outdated) await client.sessions.refresh(sessionId);
    },
    onError: toast.problem,
    onSettled: async () => {
      for (const sessionId of outdated) {
        await queryClient.invalidateQueries({ queryKey: keys.session(sessionId) });
      }
    },
  });
  const isDone = sessions.every(({ data }) => data?.definitionChanged === false);
  return (
    <p className="flex flex-wrap items-center gap-2">
      Definition changed: refresh {agentId}.
      {outdated.length === 0 ? null : (
        <Button
          aria-label={`Refresh ${agentId}`}
          disabled={refresh.isPending}
          onClick={() => refresh.mutate()}
        >
          Refresh
        </Button>
      )}
      {isDone ? <span className="text-xs text-faint">refreshed</span> : null}
    </p>
  );
}
