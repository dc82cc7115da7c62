import type { Task } from '@stoa/protocol';

/** A task in one line, whatever its kind. */
export function taskLine(task: Task): string {
  const { taskId, kind, description, stopping, isForeground, pendingApprovals, end } = task;
  const notes = [
    stopping ? 'being stopped' : '',
    isForeground && task.endedAt === undefined ? 'waited for' : '',
    pendingApprovals > 0 ? `${String(pendingApprovals)} questions wait for a person` : '',
    end ? endWords(end) : '',
    task.blockedReason === undefined ? '' : `cannot go on: ${task.blockedReason}`,
  ].filter((note) => note !== '');
  const more = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `${taskId} ${kind} ${task.status}${more}: ${description}`;
}

/** All there is to know of one. */
export function taskText(task: Task): string {
  const { startedAt, endedAt, end, outputPath, transcriptPath, detail } = task;
  const time = (at: number | undefined): string =>
    at === undefined ? 'not yet' : new Date(at).toISOString();
  return [
    taskLine(task),
    `started: ${time(startedAt)}`,
    ...(endedAt === undefined ? [] : [`ended: ${time(endedAt)}`]),
    ...(end?.message === undefined ? [] : [end.message]),
    ...(outputPath === undefined ? [] : [`output: ${outputPath}`]),
    ...(transcriptPath === undefined ? [] : [`transcript: ${transcriptPath}`]),
    `detail: ${JSON.stringify(detail)}`,
  ].join('\n');
}

function endWords({ cause, exitCode, signal, by }: NonNullable<Task['end']>): string {
  return [
    cause.replaceAll('_', ' '),
    exitCode === undefined ? '' : `exit code ${String(exitCode)}`,
    signal === undefined ? '' : `signal ${signal}`,
    by === undefined ? '' : `by ${by}`,
  ]
    .filter((word) => word !== '')
    .join(', ');
}
