import type { Agent } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.js';
import { queryClient, useMe } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { toast } from '../ui/toast.js';
import { AgentForm } from './agent-form.js';
import { DRIVER_FORMS } from './drivers/drivers.js';
import { Mark, Row, Rows, Section } from './section.js';
import { TryAgent } from './try-agent.js';
import { AGENTS_KEY, useAgents } from './workers.js';

type Open =
  | { readonly as: 'edit'; readonly agent: Agent | undefined }
  | { readonly as: 'try'; readonly agent: Agent };

export function AgentsSection() {
  const { data: me } = useMe();
  const { data: agents, error } = useAgents();
  const [open, setOpen] = useState<Open>();
  const isOwner = me?.role === 'owner';
  const close = (): void => setOpen(undefined);
  return (
    <Section
      title="Agents"
      about="Definitions: who they are, what executes them, and what they may do without an approval. Existing sessions keep their definition."
      action={
        isOwner ? (
          <Button onClick={() => setOpen({ as: 'edit', agent: undefined })}>New agent</Button>
        ) : undefined
      }
    >
      <Rows label="Agents" error={agents ? null : error}>
        {agents?.map((agent) => (
          <AgentRow key={agent.agentId} agent={agent} isOwner={isOwner} onOpen={setOpen} />
        ))}
      </Rows>
      {open?.as === 'edit' ? <AgentForm agent={open.agent} onClose={close} /> : null}
      {open?.as === 'try' ? <TryAgent agent={open.agent} onClose={close} /> : null}
    </Section>
  );
}

interface AgentRowProps {
  readonly agent: Agent;
  readonly isOwner: boolean;
  readonly onOpen: (open: Open) => void;
}

function AgentRow({ agent, isOwner, onOpen }: AgentRowProps) {
  const { agentId, name, source, path, status, problem, lacks, definition } = agent;
  const [asked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.agents.delete(agentId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: AGENTS_KEY }),
    onError: toast.problem,
  });
  const canEdit = isOwner && source !== 'file';
  return (
    <Row
      title={name}
      mark={
        <>
          {name === agentId ? null : (
            <span className="text-xs font-normal text-faint">{agentId}</span>
          )}
          {status === 'broken' ? <Mark look="danger">broken</Mark> : null}
          {lacks === undefined ? null : <Mark look="warn">cannot work yet</Mark>}
          {source === 'builtin' ? <Mark>comes with Stoa</Mark> : null}
        </>
      }
      about={
        <>
          {definition ? DRIVER_FORMS[definition.driver.kind].summaryOf(definition.driver) : null}
          {definition?.description === undefined ? null : ` · ${definition.description}`}
          {source === 'file' ? <p>Defined in {path}: edit that file.</p> : null}
          {problem === undefined ? null : <p className="text-danger">{problem}</p>}
          {lacks === undefined ? null : <p className="text-warn">{lacks}</p>}
        </>
      }
    >
      {asked ? (
        <>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete {name}
          </Button>
          <Button look="quiet" onClick={() => setAsked(false)}>
            Keep
          </Button>
        </>
      ) : (
        <>
          {status === 'ready' ? (
            <Button aria-label={`Try ${name}`} onClick={() => onOpen({ as: 'try', agent })}>
              Try
            </Button>
          ) : null}
          {canEdit ? (
            <Button aria-label={`Edit ${name}`} onClick={() => onOpen({ as: 'edit', agent })}>
              Edit
            </Button>
          ) : null}
          {canEdit && source === 'api' ? (
            <Menu
              label={`More about ${name}`}
              items={[{ label: 'Delete…', danger: true, onSelect: () => setAsked(true) }]}
            >
              <Icon name="more" />
            </Menu>
          ) : null}
        </>
      )}
    </Row>
  );
}
