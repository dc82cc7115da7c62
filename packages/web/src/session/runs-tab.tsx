import type { Run, Usage } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { client } from '../data/client.js';
import { momentOf, whenOf } from '../feed/days.js';
import { Button } from '../ui/button.js';
import { elapsedText, useNow } from '../ui/elapsed.js';
import { toast } from '../ui/toast.js';
import { Nothing } from './nothing.js';
import { useRuns } from './use-session.js';

const TONES: Readonly<Record<Run['status'], string>> = {
  queued: 'text-soft',
  running: 'text-accent',
  waiting_approval: 'text-warn',
  waiting_answer: 'text-warn',
  completed: 'text-good',
  failed: 'text-danger',
  cancelled: 'text-faint',
  interrupted: 'text-danger',
};

export function RunsTab({ sessionId }: { readonly sessionId: string }) {
  const { data: runs } = useRuns(sessionId);
  if (runs?.length === 0) return <Nothing>No runs yet.</Nothing>;
  return (
    <ol aria-label="Runs" className="divide-y divide-line">
      {runs?.map((run) => (
        <RunRow key={run.runId} run={run} />
      ))}
    </ol>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const { runId, status, kind, startedAt, endedAt, createdAt, usage, failure, attempts } = run;
  const now = useNow();
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel(runId),
    onError: toast.problem,
  });
  const isOver = endedAt !== undefined;
  const notes = [
    startedAt === undefined ? undefined : elapsedText((endedAt ?? now) - startedAt),
    attempts > 1 ? `attempt ${attempts}` : undefined,
    usage.modelCalls > 0 ? tokensText(usage) : undefined,
    run.cancelReason?.replaceAll('_', ' '),
  ].filter((part) => part !== undefined);
  return (
    <li className="flex items-start gap-2 py-2 text-[13px]">
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          <span className={`font-medium ${TONES[status]}`}>{status.replaceAll('_', ' ')}</span>
          <span className="text-xs text-faint">{kind.replaceAll('_', ' ')}</span>
          <time className="ml-auto text-xs text-faint" title={momentOf(createdAt)}>
            {whenOf(createdAt)}
          </time>
        </p>
        <p className="text-xs text-soft">{notes.join(' · ')}</p>
        {failure === undefined ? null : (
          <p className="text-xs break-words text-danger">
            {failure.message} ({failure.code})
          </p>
        )}
      </div>
      {isOver ? null : (
        <Button
          look="danger"
          className="h-7"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </Button>
      )}
    </li>
  );
}

function tokensText({ inputTokens, outputTokens }: Usage): string {
  return `${inputTokens.toLocaleString()} in, ${outputTokens.toLocaleString()} out`;
}
