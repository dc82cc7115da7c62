import path from 'node:path';
import type {
  Approval,
  DispatchRule,
  InboxItem,
  PermissionMode,
  Run,
  Session,
} from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { durationText } from '../durations.js';
import type { ExitCode } from '../exit-code.js';
import { UsageError } from '../failure.js';
import { exitCodeOf, type Outcome } from '../headless/outcome.js';
import {
  liveTasksOf,
  sayTasksGoOn,
  sayWhatFailed,
  type TasksLeft,
  waitForTasks,
} from '../headless/task-watch.js';
import { RunWatch } from '../headless/watch-run.js';
import { bodyOf } from '../terminal/message-text.js';
import { printableJson, printableLine } from '../terminal/printable.js';
import { failureText } from '../terminal/session-event-text.js';
import { titleOf } from '../terminal/title.js';
import { usageLine } from '../terminal/usage-text.js';
import { defaultAgentId } from './default-agent.js';
import { textFrom } from './message-input.js';

export interface RunOptions extends GlobalFlags {
  readonly agent?: string;
  readonly session?: string;
  readonly workspace?: string;
  readonly mode?: PermissionMode;
  readonly rule?: DispatchRule;
  /** Milliseconds; `false` for `--no-approval-wait`. Commander gives `true` when neither was given. */
  readonly approvalWait?: number | boolean;
  /** What is waited for when the run has ended. */
  readonly wait?: 'none' | 'tasks';
}

export async function run(
  context: Context,
  words: readonly string[],
  options: RunOptions,
): Promise<ExitCode> {
  // The exit code reports how the run ended, even if the reader of the output has left.
  context.io.outliveReaders();
  const prompt = await textFrom(context, words);
  const session = await sessionFor(context, prompt, options);
  const item = await context.client.sessions.submit(session.sessionId, {
    text: prompt,
    ...(options.rule === undefined ? {} : { rule: options.rule }),
  });
  if (!context.flags.json) {
    context.io.err(`${context.errPaint.dim(startLine(session))}\n`);
  }
  const wait = options.approvalWait === true ? undefined : options.approvalWait;
  const watch = new RunWatch(context, item, { after: session.headSeq, wait });
  const ended = await watch.toEnd();
  const left = await tasksAfter(context, item, ended, {
    ...options,
    after: watch.lastSeq,
    approvalWait: wait,
  });
  const outcome = left.givenUp ? needsApproval(left.givenUp, ended) : ended;
  const exitCode = exitCodeOf(outcome, left);
  await report(context, session, watch.runId, outcome, left, exitCode);
  return exitCode;
}

function needsApproval(givenUp: readonly Approval[], ended: Outcome): Outcome {
  const approvalIds = givenUp.map(({ approvalId }) => approvalId);
  const output = ended.type === 'completed' ? { output: ended.output } : {};
  return { type: 'needs_approval', approvalIds, ...output };
}

/** Of a run that goes on, or was given up, nobody waits for what it started either. */
async function tasksAfter(
  context: Context,
  { sessionId, createdAt }: InboxItem,
  { type }: Outcome,
  {
    wait,
    after,
    approvalWait,
  }: Pick<RunOptions, 'wait'> & { after: number; approvalWait: number | false | undefined },
): Promise<TasksLeft> {
  if (type === 'left' || type === 'needs_approval') return { live: [], failed: [] };
  if (wait === 'tasks' && type === 'completed') {
    return waitForTasks(context, sessionId, { since: createdAt, after, wait: approvalWait });
  }
  return { live: await liveTasksOf(context, sessionId), failed: [] };
}

async function sessionFor(
  context: Context,
  prompt: string,
  { agent, session, workspace, mode }: RunOptions,
): Promise<Session> {
  const { sessions } = context.client;
  if (session !== undefined) {
    if (agent !== undefined || workspace !== undefined || mode !== undefined) {
      throw new UsageError(
        'the session already has an agent, a workspace and a mode',
        'omit --agent, --workspace and --mode; change its mode with: stoa session mode',
      );
    }
    return sessions.get(session);
  }
  return sessions.create({
    agentId: agent ?? (await defaultAgentId(context)),
    workspace: path.resolve(workspace ?? process.cwd()),
    title: titleOf(prompt),
    ...(mode === undefined ? {} : { mode }),
  });
}

function startLine({ sessionId, agentName, workspace, mode }: Session): string {
  return printableLine(`${agentName} in ${workspace}, mode ${mode}, session ${sessionId}`);
}

async function report(
  context: Context,
  { sessionId }: Session,
  runId: string,
  outcome: Outcome,
  left: TasksLeft,
  exitCode: ExitCode,
): Promise<void> {
  const asks = left.givenUp?.[0];
  const goesOn = outcome.type === 'left' || outcome.type === 'needs_approval';
  // The run has ended, and that is known: that its usage cannot be had changes nothing about it.
  const run =
    goesOn && !asks ? undefined : await context.client.runs.get(runId).catch(() => undefined);
  if (context.flags.json) {
    const { type, ...rest } = outcome;
    context.line(
      printableJson({
        type: 'result',
        outcome: type,
        exitCode,
        sessionId,
        runId: asks?.runId ?? runId,
        text: 'output' in outcome ? bodyOf(outcome.output) : '',
        ...rest,
        tasks: left.live.map(({ taskId }) => taskId),
        failedTasks: left.failed.map(({ taskId }) => taskId),
        failedRuns: left.failedRuns ?? [],
        ...(run === undefined ? {} : { usage: run.usage }),
      }),
    );
    return;
  }
  context.io.err(`${endLine(context, outcome, run)}\n`);
  sayWhatFailed(context, left);
  if (left.live.length > 0) sayTasksGoOn(context, sessionId, left.live);
  // Instead of a task, the run that handles its notice may still be active.
  const isAtWork = left.isAtRest === false && left.live.length === 0;
  if (goesOn || isAtWork)
    context.say(
      `the session is still active; watch it with: stoa session follow ${asks?.sessionId ?? sessionId}`,
    );
}

function endLine({ errPaint }: Context, outcome: Outcome, run: Run | undefined): string {
  switch (outcome.type) {
    case 'completed':
      return errPaint.dim(['completed', ...measures(run)].join(' · '));
    case 'failed':
      return errPaint.red(failureText(outcome.failure));
    case 'cancelled':
      return errPaint.yellow(`cancelled (${outcome.reason})`);
    case 'interrupted':
      return errPaint.red(`interrupted: ${printableLine(outcome.reason)}`);
    case 'needs_approval':
      return errPaint.yellow('stopped waiting: an approval is pending');
    case 'left':
      return errPaint.yellow('stopped watching');
  }
}

function measures(run: Run | undefined): string[] {
  if (!run) return [];
  const { startedAt, endedAt, usage } = run;
  const took = startedAt === undefined || endedAt === undefined ? [] : [endedAt - startedAt];
  return [...took.map(durationText), ...(usage.modelCalls === 0 ? [] : [usageLine(usage)])];
}
