import type { Stamped } from '@stoa/protocol';
import { durationText } from '../durations.js';
import { printableLine } from './printable.js';
import { shorten } from './width.js';

type EventOf<T extends Stamped['type']> = Extract<Stamped, { type: T }>;

/** What a line shows of words that may be long. */
const EXCERPT = 120;

/**
 * One line for events of a session other than messages; undefined for what is no news to a
 * person who watches.
 */
export function sessionEventText(event: Stamped): string | undefined {
  switch (event.type) {
    case 'tool_call':
      return `→ ${printableLine(event.data.title)}`;
    case 'tool_result':
      return resultText(event);
    case 'waiting_approval':
      return `? ${printableLine(event.data.approval.title)}`;
    case 'approval_settled':
      return settledText(event);
    case 'resumed':
      return `resumed after an interruption (attempt ${event.data.attempt})`;
    case 'context_given':
      return contextText(event);
    case 'compacted':
      return `the context was full: ${event.data.tokensBefore} tokens were summarised`;
    case 'note':
      return printableLine(event.data.text);
    case 'requeued':
      return `moved to another run: ${printableLine(event.data.reason)}`;
    case 'dropped':
      return `${event.data.itemId} was dropped: ${printableLine(event.data.reason)}`;
    case 'dead_lettered':
      return `${event.data.itemId} is a dead letter: ${printableLine(event.data.reason)}`;
    case 'completed':
      return 'completed';
    case 'cancelled':
      return `cancelled (${event.data.reason})`;
    case 'failed':
      return failureText(event.data.failure);
    case 'interrupted':
      return `interrupted: ${printableLine(event.data.reason)}`;
    default:
      return lifeText(event);
  }
}

/** What befalls the session itself, not one of its runs. */
function lifeText(event: Stamped): string | undefined {
  switch (event.type) {
    case 'session_created':
      return `session of ${printableLine(event.data.persona.agentId)} in ${printableLine(event.data.workspace)}`;
    case 'session_updated':
      return event.data.mode === undefined ? undefined : `the mode is now ${event.data.mode}`;
    case 'session_refreshed':
      return 'now uses the current definition of its agent';
    case 'session_cleared':
      return 'cleared: later runs do not see what came before';
    case 'session_ended':
      return `ended: ${printableLine(event.data.reason)}`;
    case 'permissions_extended':
      return `rules were added: ${rulesText(event)}`;
    case 'schedule_created':
      return `schedule ${event.data.scheduleId}: ${printableLine(event.data.title)}`;
    case 'schedule_changed':
      return `schedule ${event.data.scheduleId} is ${event.data.status}`;
    case 'schedule_fired':
      return `schedule ${event.data.scheduleId} fired`;
    case 'schedule_skipped':
      return `schedule ${event.data.scheduleId} was skipped: ${printableLine(event.data.reason)}`;
    case 'background_task_created':
    case 'background_task_received': {
      const { taskId, kind, description } = event.data.task;
      return `task ${taskId} (${printableLine(kind)}): ${printableLine(description)}`;
    }
    case 'background_task_ended':
      return `task ${event.data.taskId} is ${event.data.status}`;
    default:
      return undefined;
  }
}

export function failureText({ code, message }: EventOf<'failed'>['data']['failure']): string {
  return `failed: ${printableLine(message)} (${printableLine(code)})`;
}

function resultText({ data }: EventOf<'tool_result'>): string | undefined {
  const { tool, outcome, output, durationMs } = data;
  const took = durationMs === undefined ? '' : ` after ${durationText(durationMs)}`;
  if (outcome === 'ok') return undefined;
  const [first = ''] = output.trim().split('\n');
  const why = first === '' ? '' : `: ${shorten(printableLine(first), EXCERPT)}`;
  return `✗ ${printableLine(tool)} ${outcome}${took}${why}`;
}

function settledText({ data }: EventOf<'approval_settled'>): string {
  const { state, scope, answeredBy, updatedInput, answer } = data;
  const by = answeredBy === undefined ? '' : ` by ${printableLine(answeredBy)}`;
  const how = [
    ...(scope === undefined || scope === 'once' ? [] : [`always in this ${scope}`]),
    ...(updatedInput === undefined ? [] : ['with other arguments']),
  ];
  const words = answer === undefined ? '' : `: ${shorten(printableLine(answer), EXCERPT)}`;
  const mark = state === 'allowed' || state === 'answered' ? '✓' : '✗';
  return `${mark} ${state}${by}${how.length > 0 ? `, ${how.join(', ')}` : ''}${words}`;
}

function rulesText({ data }: EventOf<'permissions_extended'>): string {
  const { allow = [], ask = [], deny = [] } = data.permissions;
  return [
    ...allow.map((rule) => `allow ${rule}`),
    ...ask.map((rule) => `ask ${rule}`),
    ...deny.map((rule) => `deny ${rule}`),
  ]
    .map(printableLine)
    .join(', ');
}

function contextText({ data }: EventOf<'context_given'>): string {
  const { channelIdentity, memoryScope } = data;
  const memory = `memory ${printableLine(memoryScope.namespace)}`;
  return channelIdentity
    ? `context injected: ${printableLine(channelIdentity.displayName)}, ${memory}`
    : `memory injected: ${memory}`;
}
