import path from 'node:path';
import type { DispatchRule, PermissionMode, Session } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { details } from '../terminal/details.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';
import { defaultAgentId } from './default-agent.js';
import { textFrom } from './message-input.js';

export interface ListSessionsOptions extends GlobalFlags {
  readonly agent?: string;
  readonly ended: 'exclude' | 'include' | 'only';
  readonly before?: string;
  readonly limit: number;
  readonly quiet?: boolean;
}

export interface NewSessionOptions extends GlobalFlags {
  readonly agent?: string;
  readonly workspace?: string;
  readonly title?: string;
  readonly mode?: PermissionMode;
  readonly parent?: string;
}

export interface SubmitOptions extends GlobalFlags {
  readonly rule?: DispatchRule;
  readonly priority?: number;
  readonly key?: string;
}

export async function listSessions(
  context: Context,
  _args: readonly string[],
  options: ListSessionsOptions,
): Promise<void> {
  const page = await context.client.sessions.list({
    ended: options.ended,
    limit: options.limit,
    agentId: options.agent,
    before: options.before,
  });
  const { sessions, nextBefore } = page;
  if (context.flags.json) context.json(page);
  else if (options.quiet) for (const { sessionId } of sessions) context.line(sessionId);
  else if (sessions.length === 0) context.say('no sessions; create one: stoa session new');
  else context.line(sessionTable(context, sessions));
  context.more(nextBefore);
}

function sessionTable(context: Context, sessions: readonly Session[]): string {
  return context.table(
    [
      { title: 'SESSION' },
      { title: 'AGENT' },
      { title: 'STATUS' },
      { title: 'QUEUED', align: 'right' },
      { title: 'MODE' },
      { title: 'CHANGED' },
      { title: 'TITLE' },
    ],
    sessions.map((session) => [
      session.sessionId,
      printableLine(session.agentName),
      session.status,
      String(session.queuedRuns),
      session.mode,
      relativeTime(session.updatedAt, context.io.now()),
      printableLine(session.title ?? ''),
    ]),
  );
}

export async function newSession(
  context: Context,
  _args: readonly string[],
  options: NewSessionOptions,
): Promise<void> {
  const session = await context.client.sessions.create({
    agentId: options.agent ?? (await defaultAgentId(context)),
    workspace: path.resolve(options.workspace ?? process.cwd()),
    title: options.title,
    mode: options.mode,
    parentSessionId: options.parent,
  });
  context.answer(session, () => session.sessionId);
}

export async function showSession(
  context: Context,
  [sessionId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.sessions.get(sessionId));
}

export async function submitToSession(
  context: Context,
  [sessionId = '', ...words]: readonly string[],
  { rule, priority, key }: SubmitOptions,
): Promise<void> {
  const text = await textFrom(context, words);
  const item = await context.client.sessions.submit(
    sessionId,
    { text, priority, ...(rule === undefined ? {} : { rule }) },
    { idempotencyKey: key },
  );
  context.answer(item, () => item.itemId);
  if (!context.flags.json && context.io.errIsTerminal) {
    const { appliedRule } = item;
    const became = item.rule === appliedRule ? '' : ` as ${appliedRule}`;
    context.say(`accepted${became}; watch it with: stoa session follow ${sessionId}`);
  }
}

export async function sessionMode(
  context: Context,
  [sessionId = '', mode]: readonly string[],
): Promise<void> {
  const { sessions } = context.client;
  const session =
    mode === undefined
      ? await sessions.get(sessionId)
      : await sessions.update(sessionId, { mode: mode as PermissionMode });
  context.answer(session, () => session.mode);
}

/** A run by its id, or what a session is doing. */
export async function cancelRun(context: Context, [id = '']: readonly string[]): Promise<void> {
  const { sessions, runs } = context.client;
  const runId = id.startsWith('run_') ? id : (await sessions.get(id)).activeRunId;
  if (runId === undefined) {
    context.answer({ cancelled: false }, () => `${printableLine(id)} has no active run.`);
    return;
  }
  const answer = await runs.cancel(runId);
  const { cancelled, run } = answer;
  context.answer(answer, () =>
    cancelled ? `${runId} is cancelled.` : `${runId} has already ended: ${run.status}.`,
  );
}

export async function clearSession(
  context: Context,
  [sessionId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.sessions.clear(sessionId));
}

export async function refreshSession(
  context: Context,
  sessionIds: readonly string[],
): Promise<void> {
  for (const sessionId of sessionIds) {
    show(context, await context.client.sessions.refresh(sessionId));
  }
}

export async function endSession(
  context: Context,
  [sessionId = '']: readonly string[],
): Promise<void> {
  show(context, await context.client.sessions.end(sessionId));
}

function show(context: Context, session: Session): void {
  context.answer(session, () => sessionText(context, session));
}

function sessionText({ paint, io }: Context, session: Session): string {
  const { permissions, endedAt } = session;
  return details(paint, { title: session.title ?? session.agentName, id: session.sessionId }, [
    ['agent', `${session.agentName} (${session.agentId})`],
    ['driver', [session.driver, session.model].filter(Boolean).join(' ')],
    [
      'definition',
      session.definitionChanged === true
        ? `changed: stoa session refresh ${session.sessionId}`
        : undefined,
    ],
    ['workspace', session.workspace],
    ['mode', session.mode],
    ...(['deny', 'ask', 'allow'] as const).map(
      (kind) => [kind, permissions[kind]?.join('\n')] as const,
    ),
    ['status', session.status],
    ['run', session.activeRunId],
    ['queued', session.queuedRuns],
    ['works for', session.responsibleId],
    ['parent', session.parentSessionId],
    ['created', `${relativeTime(session.createdAt, io.now())} by ${session.createdBy}`],
    ['ended', endedAt === undefined ? undefined : relativeTime(endedAt, io.now())],
    ['sequence', session.headSeq],
  ]);
}
