import type { Agent, Run } from '@stoa/protocol';
import { isTerminalRunStatus, textWithAssets } from '@stoa/protocol/constants';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { client } from '../data/client.js';
import { useTopic } from '../data/live.js';
import { keys, queryClient } from '../data/queries.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { isByTouch } from '../ui/is-by-touch.js';
import { TextAreaField } from './fields.js';
import { FormProblem } from './section.js';

interface TryAgentProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

/** Asks an agent one thing, in a session that changes nothing and ends with the dialog. */
export function TryAgent({ agent, onClose }: TryAgentProps) {
  const [prompt, setPrompt] = useState('Say in one sentence who you are and what you can do here.');
  const [sessionId, setSessionId] = useState<string>();
  const [runId, setRunId] = useState<string>();
  const made = useRef<string>(undefined);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      if (made.current !== undefined) void end(made.current);
    };
  }, []);
  const ask = useMutation({
    mutationFn: async () => {
      made.current ??= (
        await client.sessions.create({
          agentId: agent.agentId,
          title: `Trying ${agent.name}`.slice(0, 200),
          mode: 'plan',
        })
      ).sessionId;
      // The dialog may have been closed meanwhile.
      if (!isOpen.current) return end(made.current);
      setSessionId(made.current);
      setRunId((await client.sessions.submit(made.current, prompt)).runId);
    },
  });
  const run = useQuery({
    queryKey: ['run', runId],
    queryFn: () => client.runs.get(runId ?? ''),
    enabled: runId !== undefined,
    // An event that comes while the first answer is on its way would ask for nothing new.
    refetchInterval: ({ state }) => (hasEnded(state.data) ? false : 500),
  });
  useTopic(sessionId === undefined ? undefined : `session:${sessionId}`, (signal) => {
    const isText = signal.type === 'item' && !('seq' in signal.item);
    if (runId !== undefined && !isText) void run.refetch();
  });
  const isAtWork = ask.isPending || (runId !== undefined && !hasEnded(run.data));
  const isReady = !isAtWork && prompt.trim() !== '';
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    setRunId(undefined);
    ask.mutate();
  };
  const press = (event: KeyboardEvent<HTMLFormElement>): void => {
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
    if (!isSend || isByTouch()) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  };
  return (
    <Dialog
      title={`Try ${agent.name}`}
      onClose={onClose}
      footer={
        <Button look="primary" type="submit" form="try-agent" disabled={!isReady}>
          Ask
        </Button>
      }
    >
      <form id="try-agent" onSubmit={submit} onKeyDown={press} className="space-y-3">
        <TextAreaField
          label="Prompt"
          hint="Runs in a separate session that changes nothing and ends when you close this dialog."
          value={prompt}
          onChange={setPrompt}
        />
        <FormProblem text={ask.error?.message} />
        <div aria-live="polite">
          {isAtWork ? <p className="text-[13px] text-soft">Running…</p> : <Answer run={run.data} />}
        </div>
      </form>
    </Dialog>
  );
}

async function end(sessionId: string): Promise<void> {
  await client.sessions.end(sessionId).catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey: keys.sessions });
}

const hasEnded = (run: Run | undefined): boolean =>
  run !== undefined && isTerminalRunStatus(run.status);

function Answer({ run }: { readonly run: Run | undefined }) {
  if (!run) return null;
  const { status, failure, output = [], usage, startedAt, endedAt } = run;
  const text = textWithAssets(output, () => '(asset reference)');
  const took = startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
  return (
    <section aria-label="Answer" className="space-y-1.5">
      {failure ? (
        <FormProblem text={`${failure.message} (${failure.code})`} />
      ) : (
        <p className="rounded-md bg-code px-3 py-2 text-[13px] whitespace-pre-wrap">
          {text === '' ? 'The run ended without a reply.' : text}
        </p>
      )}
      <p className="text-xs text-faint">
        {status}
        {took === undefined ? null : ` in ${(took / 1_000).toFixed(1)} s`}
        {usage.modelCalls === 0
          ? ' · no model was called'
          : ` · ${usage.inputTokens + usage.outputTokens} tokens`}
      </p>
    </section>
  );
}
