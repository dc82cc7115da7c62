import { monitorHint } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { plainText } from '../../envelope.js';
import { BY_RUN, BY_TIMEOUT, signalOf } from '../../tasks/shell/settlement.js';
import { cutText } from '../cut-text.js';
import type { ToolOutput } from '../tool.js';
import { readOutput } from './command-output.js';
import type { CommandEnd, RunningCommand } from './running-command.js';

/** Reserved for the notes after the output. */
const NOTE_CHARS = 1_200;
/** A faster command is never called slow. */
const SLOW_MS = 1_000;

interface AnsweredCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}

export async function endedAnswer(
  { outputPath }: RunningCommand,
  end: CommandEnd,
  asked: AnsweredCommand,
): Promise<ToolOutput> {
  const isError = end.type !== 'exited' || end.exitCode !== 0 || end.outputLost !== undefined;
  const lost =
    end.outputLost === undefined ? undefined : `[Its output could not be kept: ${end.outputLost}]`;
  return answer(outputPath, [lost, endNote(end, asked.timeoutMs), ...advice(end, asked)], isError);
}

export async function promotedAnswer(
  { outputPath, pid }: RunningCommand,
  why: 'asked' | 'timeout',
  taskId: string,
  timeoutMs: number,
): Promise<ToolOutput> {
  const reason =
    why === 'timeout' ? `[Its ${timeoutMs} ms were over: moved` : '[Promoted: it was moved';
  const state = 'it was not stopped and continues without a deadline';
  const note = `${reason} to the background as ${taskId} (pid ${pid ?? 'unknown'}); ${state}]`;
  return answer(outputPath, [note, backgroundNote(outputPath)], false);
}

export const backgroundNote = (outputPath: string): string =>
  `[You will be notified when it ends. Output until then: task_output, or the file ${outputPath}]`;

async function answer(
  outputPath: string,
  notes: readonly (string | undefined)[],
  isError: boolean,
): Promise<ToolOutput> {
  const limit = LIMITS.toolOutputChars - NOTE_CHARS;
  // A character has at most four bytes, so the limit in bytes cuts no more than the limit in characters.
  const output = cutText(plainText(await readOutput(outputPath, limit * 4)).trimEnd(), limit);
  const parts = [output, ...notes].filter((part) => part !== undefined && part !== '');
  return { text: parts.join('\n') || '[No output]', isError };
}

function endNote(end: CommandEnd, timeoutMs: number): string | undefined {
  switch (end.type) {
    case 'not_started':
      return `[It could not be started: ${end.reason}]`;
    case 'lost': {
      const signal = end.signal === undefined ? '' : ` by ${end.signal}`;
      return `[Its end is unknown: ${end.reason}${signal}]`;
    }
    case 'stopped': {
      const why =
        end.by === BY_TIMEOUT
          ? `after its ${timeoutMs} ms were over`
          : end.by === BY_RUN
            ? 'with the run'
            : `by ${end.by}`;
      const rest = end.isDead ? '' : '; some of its processes could not be ended';
      return `[Stopped ${why} (${end.signal})${rest}]`;
    }
    case 'exited': {
      if (end.exitCode === 0) return undefined;
      const signal = signalOf(end.exitCode);
      return `[Exit code ${end.exitCode}${signal === undefined ? '' : `: ended by ${signal}`}]`;
    }
  }
}

function advice(end: CommandEnd, { command, timeoutMs, elapsedMs }: AnsweredCommand): string[] {
  const wasStopped = end.type === 'stopped' && end.by === BY_TIMEOUT;
  const slow = end.type === 'exited' ? slowAdvice(elapsedMs, timeoutMs) : undefined;
  const hint = end.type === 'exited' || wasStopped ? monitorHint(command) : undefined;
  return [
    ...(slow === undefined ? [] : [`[${slow}]`]),
    ...(hint === undefined ? [] : [`[${hint}]`]),
  ];
}

/** For a command that took half of its time or more. */
export function slowAdvice(elapsedMs: number, timeoutMs: number | undefined): string | undefined {
  if (timeoutMs === undefined || elapsedMs < Math.max(SLOW_MS, timeoutMs / 2)) return undefined;
  const took = `Took ${Math.round(elapsedMs)} of ${timeoutMs} ms`;
  return `${took}; do not run it again to see more output, and use is_background for commands that take this long`;
}
