import type { Task } from '@stoa/protocol';
import { isTerminalTaskStatus } from '@stoa/protocol/constants';
import { type DetailLine, type TaskPresenters, taskPresenters } from './presenters.js';

/** A task in a list. */
export interface TaskRow {
  readonly taskId: string;
  readonly kind: string;
  readonly title: string;
  /** Its status as text: `running (3 events)`, `failed (exit 1)`, `stopped by human:ada`. */
  readonly status: string;
  /** A tool call waits for it. */
  readonly isForeground: boolean;
  readonly needsApproval: boolean;
  /** How long it has run, or ran; undefined if it never started. */
  readonly elapsedMs: number | undefined;
}

export interface TaskDetail {
  readonly row: TaskRow;
  readonly lines: readonly DetailLine[];
  readonly warnings: readonly string[];
  /** The available actions; the daemon decides finally. */
  readonly can: {
    readonly stop: boolean;
    readonly send: boolean;
    readonly resume: boolean;
    readonly promote: boolean;
  };
}

/** All tasks of one kind, in the given order. */
export interface TaskSection {
  readonly kind: string;
  readonly title: string;
  readonly rows: readonly TaskRow[];
}

export function taskRow(
  task: Task,
  now: number,
  presenters: TaskPresenters = taskPresenters,
): TaskRow {
  const presenter = presenters.of(task.kind);
  return {
    taskId: task.taskId,
    kind: task.kind,
    title: presenter.title(task),
    status: statusText(task, presenter.note?.(task)),
    isForeground: task.isForeground,
    needsApproval: task.pendingApprovals > 0,
    elapsedMs: elapsed(task, now),
  };
}

/** Splits the daemon's list by kind and keeps its order. */
export function taskSections(
  tasks: readonly Task[],
  now: number,
  presenters: TaskPresenters = taskPresenters,
): TaskSection[] {
  const kinds = [...new Set(tasks.map(({ kind }) => kind))];
  return kinds
    .sort((left, right) => presenters.compare(left, right))
    .map((kind) => ({
      kind,
      title: presenters.of(kind).many,
      rows: tasks
        .filter((task) => task.kind === kind)
        .map((task) => taskRow(task, now, presenters)),
    }));
}

export function taskDetail(
  task: Task,
  now: number,
  presenters: TaskPresenters = taskPresenters,
): TaskDetail {
  const presenter = presenters.of(task.kind);
  const { status, isForeground, blockedReason = '', end, stopping } = task;
  const isLive = !isTerminalTaskStatus(status);
  const takesMessage = presenter.takesMessage?.(task) ?? (isLive || status === 'completed');
  const lines: DetailLine[] = [
    ['session', task.sessionId],
    ['started in', task.startedIn === task.sessionId ? '' : task.startedIn],
    ...presenter.detail(task),
    ['why', end?.message ?? ''],
    ['stopping', stopping ? `asked by ${stopping.by}` : ''],
    ['blocked', blockedReason],
    ['output', task.outputPath ?? ''],
    ['transcript', task.transcriptPath ?? ''],
  ];
  return {
    row: taskRow(task, now, presenters),
    lines: lines.filter(([, value]) => value !== ''),
    warnings: presenter.warnings?.(task) ?? [],
    can: {
      stop: isLive,
      send: stopping === undefined && takesMessage,
      resume: status === 'paused' && blockedReason === '',
      promote: isForeground && status === 'running',
    },
  };
}

function statusText(task: Task, note: string | undefined): string {
  const { status, end, stopping, isForeground } = task;
  if (stopping && !isTerminalTaskStatus(status)) return 'stopping';
  if (status === 'cancelled') return end?.by === undefined ? 'stopped' : `stopped by ${end.by}`;
  const more = [
    isForeground && !isTerminalTaskStatus(status) ? 'awaited' : '',
    causeText(task),
    note ?? '',
  ];
  const notes = more.filter((part) => part !== '').join(', ');
  return notes === '' ? status : `${status} (${notes})`;
}

function causeText({ end }: Task): string {
  if (!end) return '';
  if (end.exitCode !== undefined) return `exit ${String(end.exitCode)}`;
  if (end.signal !== undefined) return end.signal;
  return end.cause === 'exited' || end.cause === 'done' ? '' : end.cause.replaceAll('_', ' ');
}

function elapsed({ startedAt, endedAt }: Task, now: number): number | undefined {
  return startedAt === undefined ? undefined : Math.max(0, (endedAt ?? now) - startedAt);
}
