import { LIMITS, type TaskEntry } from '@stoa/protocol';

/** The notice of kinds that have no notice of their own. */
export function noticeText(task: TaskEntry, tail?: string): string {
  const lines = [
    `Background task ${task.taskId} (${task.kind}: ${task.description}) ${endText(task)}.`,
  ];
  if (task.end?.message !== undefined) lines.push(task.end.message);
  if (task.outputPath !== undefined) lines.push(`Output: ${task.outputPath}`);
  if (tail !== undefined && tail !== '') lines.push(`Last output:\n${lastOf(tail)}`);
  return lines.join('\n');
}

/** Added to the notice if the thread gets the result too. */
export const TURN_FOLLOWS =
  'People see one line about this in the thread it was started in, and you get the turn there: explain the ' +
  'result in that turn. Nothing that you write now is published.';

/** How it ended, in a few words: `failed with exit code 1`. */
export function endText({ status, end }: TaskEntry): string {
  if (!end) return `is ${status}`;
  const how = [
    end.exitCode === undefined ? '' : ` with exit code ${String(end.exitCode)}`,
    end.signal === undefined ? '' : ` by signal ${end.signal}`,
    end.exitCode === undefined && end.signal === undefined
      ? ` (${end.cause.replaceAll('_', ' ')})`
      : '',
    end.by === undefined ? '' : `, by ${end.by}`,
  ];
  const verb = status === 'cancelled' || status === 'lost' ? `was ${status}` : status;
  return verb + how.join('');
}

const lastOf = (tail: string): string =>
  tail.length <= LIMITS.taskTailChars ? tail : tail.slice(-LIMITS.taskTailChars).toWellFormed();
