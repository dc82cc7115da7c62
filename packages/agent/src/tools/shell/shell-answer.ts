import { monitorHint } from '@stoa/core';
import { LIMITS } from '@stoa/protocol';
import { plainText } from '../../envelope.js';
import { signalOf } from '../../tasks/shell/settlement.js';
import { cutText } from '../cut-text.js';
import type { ToolOutput } from '../tool.js';
import { readOutput } from './command-output.js';
import type { CommandEnd, RunningCommand } from './running-command.js';

/** What the lines about how it ended may need. */
const NOTE_CHARS = 1_200;
/** Sooner than this nothing was slow. */
const SLOW_MS = 1_000;

/** What is said of a command that was waited for, beside what it printed. */
export interface AnsweredCommand {
  readonly command: string;
  /** Undefined when it may take as long as it likes. */
  readonly timeoutMs: number | undefined;
  readonly elapsedMs: number;
}

/** The result of a command that has ended. */
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

/** The result of a command that goes on in the background. */
export async function promotedAnswer(
  { outputPath, pid }: RunningCommand,
  why: 'asked' | 'timeout',
  taskId: string,
  timeoutMs: number,
): Promise<ToolOutput> {
  const reason =
    why === 'timeout' ? `[Its ${timeoutMs} ms were over: moved` : '[Promoted: it was moved';
  const goesOn = 'it was not stopped and goes on without a deadline';
  const note = `${reason} to the background as ${taskId} (pid ${pid ?? 'unknown'}); ${goesOn}]`;
  return answer(outputPath, [note, backgroundNote(outputPath)], false);
}

/** Where the output of a task is, and what happens next. */
export const backgroundNote = (outputPath: string): string =>
  `[You are told when it ends. Output until then: task_output, or the file ${outputPath}]`;

async function answer(
  outputPath: string,
  notes: readonly (string | undefined)[],
  isError: boolean,
): Promise<ToolOutput> {
  const limit = LIMITS.toolOutputChars - NOTE_CHARS;
  // Four bytes a character at most, so that a character is not lost to the limit of bytes.
  const output = cutText(plainText(await readOutput(outputPath, limit * 4)).trimEnd(), limit);
  const parts = [output, ...notes].filter((part) => part !== undefined && part !== '');
  return { text: parts.join('\n') || '[No output]', isError };
}

function endNote(end: CommandEnd, timeoutMs: number | undefined): string | undefined {
  switch (end.type) {
    case 'not_started':
      return `[It could not be started: ${end.reason}]`;
    case 'lost': {
      const signal = end.signal === undefined ? '' : ` by ${end.signal}`;
      return `[How it ended is not known: ${end.reason}${signal}]`;
    }
    case 'stopped': {
      const why =
        end.by === 'timeout' ? `after its ${timeoutMs ?? 0} ms were over` : 'with the run';
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

/** What would have been better, where that can be told. */
function advice(end: CommandEnd, { command, timeoutMs, elapsedMs }: AnsweredCommand): string[] {
  const wasStopped = end.type === 'stopped' && end.by === 'timeout';
  const slow = end.type === 'exited' ? slowAdvice(elapsedMs, timeoutMs) : undefined;
  const hint = end.type === 'exited' || wasStopped ? monitorHint(command) : undefined;
  return [
    ...(slow === undefined ? [] : [`[${slow}]`]),
    ...(hint === undefined ? [] : [`[${hint}]`]),
  ];
}

/** Said of a command that took half of its time or more; never of one that was stopped. */
export function slowAdvice(elapsedMs: number, timeoutMs: number | undefined): string | undefined {
  if (timeoutMs === undefined || elapsedMs < Math.max(SLOW_MS, timeoutMs / 2)) return undefined;
  const took = `Took ${Math.round(elapsedMs)} of ${timeoutMs} ms`;
  return `${took}; do not run it again to see more, and run what takes that long with is_background`;
}
