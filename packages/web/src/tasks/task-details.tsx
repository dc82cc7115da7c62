import { type TaskDetail, taskDetail } from '@stoa/client';
import type { Task } from '@stoa/protocol';
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { Link } from '../app/router.js';
import { pathTo } from '../app/routes.js';
import { client } from '../data/client.js';
import { refreshSoon } from '../data/refresh-soon.js';
import { workKeys } from '../data/work.js';
import { Button } from '../ui/button.js';
import { elapsedText, useNow } from '../ui/elapsed.js';
import { Icon } from '../ui/icon.js';
import { visibleText } from '../ui/visible-text.js';
import { lastKnown } from './last-known.js';
import { OutputView } from './output-view.js';
import { taskActOf } from './task-keys.js';
import { TaskMessage } from './task-message.js';
import { toneOf } from './task-tone.js';

/** What the keys of the dialog do to the task that is shown; says whether it took the key. */
export type DetailKeys = (key: string) => boolean;

interface TaskDetailsProps {
  readonly task: Task;
  /** Whether the daemon is away: then this is what was known last. */
  readonly isAway: boolean;
  readonly keys: RefObject<DetailKeys | undefined>;
  readonly onClose: () => void;
}

/** One task: what its kind has to say of it, what it puts out, and what can be done. */
export function TaskDetails({ task, isAway, keys, onClose }: TaskDetailsProps) {
  const { taskId } = task;
  const detail = taskDetail(task, useNow());
  const { warnings, can } = detail;
  const row = isAway ? lastKnown(detail.row, task) : detail.row;
  const [isAsking, setAsking] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const act = useMutation({
    mutationFn: (what: 'stop' | 'resume' | 'promote') => client.tasks[what](taskId),
    onSettled: () => refreshSoon(workKeys.tasks),
  });
  const stop = (): void => {
    setAsking(false);
    act.mutate('stop');
  };
  const isStopping = task.stopping !== undefined || (act.isPending && act.variables === 'stop');
  const canStop = can.stop && !isStopping;
  useImperativeHandle<DetailKeys | undefined, DetailKeys>(keys, () => (key) => {
    const wanted = taskActOf(key, { ...can, stop: canStop });
    if (key === 'Escape' && isAsking) setAsking(false);
    else if (wanted === undefined) return false;
    else if (wanted === 'stop') setAsking(true);
    else if (wanted === 'message') box.current?.focus();
    else act.mutate(wanted);
    return true;
  });
  return (
    <section
      aria-label={row.title}
      className="flex min-h-0 min-w-0 grow flex-col gap-3 overflow-y-auto px-4 py-3"
    >
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 grow basis-48">
          <h3 className="text-[14px] font-semibold break-words">{visibleText(row.title)}</h3>
          <p className="text-xs text-soft">
            <span className={toneOf(row.status)}>{row.status}</span>
            {row.elapsedMs === undefined ? null : ` · ${elapsedText(row.elapsedMs)}`}
          </p>
        </div>
        {can.promote ? (
          <Button disabled={act.isPending} onClick={() => act.mutate('promote')}>
            Run in background
          </Button>
        ) : null}
        {can.resume ? (
          <Button disabled={act.isPending} onClick={() => act.mutate('resume')}>
            Resume
          </Button>
        ) : null}
        {can.stop ? (
          <Button look="danger" disabled={!canStop || isAsking} onClick={() => setAsking(true)}>
            {isStopping ? 'Stopping…' : 'Stop'}
          </Button>
        ) : null}
      </div>
      {isAsking && canStop ? (
        <StopQuestion title={row.title} onStop={stop} onKeep={() => setAsking(false)} />
      ) : null}
      {act.error ? <Problem text={act.error.message} /> : null}
      {warnings.map((warning) => (
        <Problem key={warning} text={warning} isWarning />
      ))}
      <Lines detail={detail} onClose={onClose} />
      <OutputView taskId={taskId} isLive={can.stop} />
      {can.send ? <TaskMessage taskId={taskId} box={box} /> : null}
    </section>
  );
}

interface StopQuestionProps {
  readonly title: string;
  readonly onStop: () => void;
  readonly onKeep: () => void;
}

function StopQuestion({ title, onStop, onKeep }: StopQuestionProps) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  return (
    <div
      role="alertdialog"
      aria-label={`Stop ${title}?`}
      className="flex flex-wrap items-center gap-2 rounded-md bg-danger-wash px-3 py-2 text-[13px]"
    >
      <p className="min-w-0 grow basis-40 text-danger">Stop this task and everything it started?</p>
      <Button ref={yes} look="danger" onClick={onStop}>
        Stop task
      </Button>
      <Button onClick={onKeep}>Keep running</Button>
    </div>
  );
}

function Problem({
  text,
  isWarning = false,
}: {
  readonly text: string;
  readonly isWarning?: boolean;
}) {
  return (
    <p
      role={isWarning ? undefined : 'alert'}
      className={`flex gap-1.5 text-[13px] ${isWarning ? 'text-warn' : 'text-danger'}`}
    >
      <Icon name="warning" className="mt-0.5" />
      {text}
    </p>
  );
}

function Lines({ detail, onClose }: { readonly detail: TaskDetail; readonly onClose: () => void }) {
  return (
    <dl className="order-last grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-[13px] wide:order-none">
      {detail.lines.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 font-mono text-xs leading-5 break-words whitespace-pre-wrap">
            {value.startsWith('ses_') ? (
              <Link
                to={pathTo.sessionPage(value)}
                onClick={onClose}
                className="text-accent underline"
              >
                {value}
              </Link>
            ) : (
              visibleText(value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
