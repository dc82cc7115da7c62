import type { Session } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { BackLink } from '../app/back-link.js';
import { client } from '../data/client.js';
import { Button, IconButton } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { toast } from '../ui/toast.js';
import { StatusDot } from './status-dot.js';

interface SessionHeaderProps {
  readonly session: Session;
  readonly isPanelOpen: boolean;
  readonly onPanel: () => void;
}

export function SessionHeader({ session, isPanelOpen, onPanel }: SessionHeaderProps) {
  const { title, agentName, workspace, mode, status, activeRunId, model } = session;
  const cancel = useMutation({
    mutationFn: (runId: string) => client.runs.cancel(runId),
    onError: toast.problem,
  });
  const about = [title === undefined ? undefined : agentName, model, `mode ${mode}`, workspace];
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3 wide:px-4">
      <BackLink />
      <StatusDot status={status} />
      <h1 className="max-w-[50%] shrink-0 truncate text-[15px] font-semibold">
        {title ?? agentName}
      </h1>
      <span className="text-xs text-soft">{status}</span>
      <p className="hidden min-w-0 grow truncate text-[13px] text-faint wide:block">
        {about.filter((part) => part !== undefined).join(' · ')}
      </p>
      <span className="grow wide:hidden" />
      {activeRunId === undefined ? null : (
        <Button
          look="danger"
          className="h-7"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(activeRunId)}
        >
          Cancel run
        </Button>
      )}
      <IconButton
        label="Runs, inbox, tasks and usage"
        aria-expanded={isPanelOpen}
        onClick={onPanel}
      >
        <Icon name="menu" />
      </IconButton>
    </header>
  );
}
