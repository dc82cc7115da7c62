import type { Task } from '@stoa/protocol';

/** One line about a task. */
export function taskLine(task: Task): string {
  const { taskId, kind, description, stopping, isForeground, pendingApprovals, end } = task;
  const notes = [
    stopping ? 'being stopped' : '',
    isForeground && task.endedAt === undefined ? 'in the foreground' : '',
    pendingApprovals > 0 ? `${String(pendingApprovals)} questions wait for an answer` : '',
    end ? endWords(end) : '',
    task.blockedReason === undefined ? '' : `blocked: ${task.blockedReason}`,
  ].filter((note) => note !== '');
  const more = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `${taskId} ${kind} ${task.status}${more}: ${description}`;
}

/** Everything that is known about a task. */
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
