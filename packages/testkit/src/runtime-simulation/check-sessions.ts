import { type SessionEvent, TERMINAL_RUN_STATUSES } from '@stoa/protocol';
import { violated } from '../simulation/failure.js';

export interface LoggedEvent {
  readonly topic: string;
  readonly seq: number;
  readonly type: SessionEvent['type'];
  readonly body: string;
}

interface RunFacts {
  priority: number;
  queuedAt: number;
  isSteering: boolean;
  startedAt?: number;
  endedAt?: number;
}

const ENDS: ReadonlySet<string> = new Set(TERMINAL_RUN_STATUSES);

/**
 * What must hold of the log of a session: sequences are dense; one run at a
 * time, each taken up in its turn; one end for each run and nothing of it afterwards; one end for each
 * item unless it was put back; at most one message waits to steer; each call has at most one start and
 * one result; a message of another session is dropped only by who cancels it; and no run fails by the daemon's own fault.
 */
export function checkSession(events: readonly LoggedEvent[], isAtRest: boolean): void {
  const runs = new Map<string, RunFacts>();
  const items = new Map<string, 'waiting' | 'settled'>();
  const messages = new Set<unknown>();
  const calls = new Map<string, { starts: number; results: number }>();
  let active: string | undefined;
  let previous = 0;
  for (const { topic, seq, type, body } of events) {
    const data = JSON.parse(body) as Record<string, unknown>;
    const runId = (data.runId ?? '') as string;
    const run = runs.get(runId);
    const wrong = (what: string): never => violated(what, { topic, seq, type, runId });
    if (seq !== previous + 1) wrong('the sequence has a gap');
    previous = seq;
    const isOfRun = type !== 'accepted' && type !== 'queued' && runId !== '';
    if (isOfRun && run?.endedAt !== undefined && type !== 'note')
      wrong('a run goes on after its end');
    switch (type) {
      case 'queued': {
        const isSteering = data.rule === 'steer';
        const waits = [...runs.values()].some(
          (other) => other.isSteering && !other.startedAt && !other.endedAt,
        );
        if (isSteering && waits) wrong('two messages wait to steer');
        runs.set(runId, { priority: data.priority as number, queuedAt: seq, isSteering });
        break;
      }
      case 'started': {
        if (active !== undefined) wrong('two runs at once');
        if (!run || run.startedAt !== undefined) wrong('a run was started that was not queued');
        const first = [...runs].filter(([, { startedAt, endedAt }]) => !startedAt && !endedAt);
        first.sort(([, a], [, b]) => b.priority - a.priority || a.queuedAt - b.queuedAt);
        if (first[0]?.[0] !== runId) wrong('a run was started before its turn');
        if (run) run.startedAt = seq;
        active = runId;
        break;
      }
      case 'resumed':
        if (active !== runId) wrong('a run was resumed that is not under way');
        break;
      case 'accepted':
        items.set(data.itemId as string, 'waiting');
        if (data.kind === 'mailbox_delivery') messages.add(data.itemId);
        break;
      case 'requeued':
        items.set(data.itemId as string, 'waiting');
        break;
      case 'delivered':
      case 'dropped':
      case 'dead_lettered':
        if (items.get(data.itemId as string) !== 'waiting') wrong('an item was settled twice');
        if (type === 'dropped' && messages.has(data.itemId) && data.reason !== 'cancelled')
          wrong('a message of another session was thrown away');
        items.set(data.itemId as string, 'settled');
        break;
      case 'tool_call':
      case 'tool_result': {
        const callId = data.callId as string;
        const call = calls.get(callId) ?? { starts: 0, results: 0 };
        if (type === 'tool_call') call.starts += 1;
        else call.results += 1;
        if (call.starts > 1 || call.results > 1) wrong('a call was made or answered twice');
        calls.set(callId, call);
        break;
      }
      default:
        if (!ENDS.has(type)) break;
        if ((data.failure as { code: string } | undefined)?.code === 'internal') wrong('a defect');
        if (run) run.endedAt = seq;
        if (active === runId) active = undefined;
    }
  }
  if (!isAtRest) return;
  const open = [...runs].filter(([, { endedAt }]) => endedAt === undefined).map(([id]) => id);
  const lost = [...items].filter(([, state]) => state === 'waiting').map(([id]) => id);
  if (open.length > 0) violated('a run never ended', { open });
  if (lost.length > 0) violated('an item was lost', { lost });
}
