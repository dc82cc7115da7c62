import { inOrderOfRuns, senderWords } from '@stoa/client';
import type { Stamped, StoredItem } from '@stoa/protocol';

type EventOf<T extends Stamped['type']> = Extract<Stamped, { type: T }>;

interface RowBase {
  readonly key: string;
  readonly at: number;
}

/** A tool call: what the model asked for, and as it was made and what it gave when that is known. */
export interface CallRow extends RowBase {
  readonly type: 'call';
  readonly title: string;
  readonly tool: string;
  readonly input: unknown;
  /** `asked`: not made yet, because it waits for somebody or for its turn. `open`: made, and no result yet. */
  readonly state: 'asked' | 'open' | EventOf<'tool_result'>['data']['outcome'];
  readonly output: string | undefined;
  readonly durationMs: number | undefined;
}

export interface AskedRow extends RowBase {
  readonly type: 'asked';
  readonly from: string;
  readonly kind: EventOf<'accepted'>['data']['kind'];
  readonly rule: EventOf<'accepted'>['data']['appliedRule'];
  readonly items: readonly StoredItem[];
  /** Whether it waits until the run that goes on has ended. */
  readonly isWaiting: boolean;
}

export interface AnswerRow extends RowBase {
  readonly type: 'answer';
  readonly name: string;
  readonly text: string;
  readonly reasoning: string;
}

export interface NoteRow extends RowBase {
  readonly type: 'note';
  readonly text: string;
  readonly tone: 'plain' | 'bad';
}

export type JournalRow = AskedRow | AnswerRow | CallRow | NoteRow;

/**
 * The rows of a journal: each call once, with its result, and each answer after its prompt;
 * what waits for its run comes last. Bookkeeping is left out.
 */
export function journalRows(journal: readonly Stamped[]): JournalRow[] {
  const { events, waiting } = inOrderOfRuns(journal);
  const rows: JournalRow[] = [];
  const calls = new Map<string, number>();
  const putCall = (
    event: EventOf<'tool_call' | 'tool_result' | 'model_message'>,
    callId: string,
    change: Partial<CallRow> & Pick<CallRow, 'tool'>,
  ): void => {
    // A name of a model's choosing: another run may use it again.
    const key = `${event.data.runId} ${callId}`;
    const at = calls.get(key);
    const known = at === undefined ? undefined : rows[at];
    if (at !== undefined && known?.type === 'call') {
      rows[at] = { ...known, ...change };
      return;
    }
    calls.set(key, rows.length);
    rows.push({ ...UNKNOWN_CALL, key, at: event.at, title: change.tool, ...change });
  };
  for (const event of events) {
    switch (event.type) {
      case 'model_message':
        pushAnswer(rows, event);
        for (const part of event.data.parts) {
          if (part.type !== 'tool_call') continue;
          putCall(event, part.callId, { tool: part.tool, input: part.input, state: 'asked' });
        }
        break;
      case 'tool_call': {
        const { callId, tool, title, input } = event.data;
        putCall(event, callId, { tool, title, input, state: 'open' });
        break;
      }
      case 'tool_result': {
        const { callId, tool, outcome, output, durationMs } = event.data;
        putCall(event, callId, { tool, state: outcome, output, durationMs });
        break;
      }
      default: {
        const row = rowOf(event);
        if (row) rows.push(row);
      }
    }
  }
  return [...rows, ...waiting.map((event) => askedRow(event, true))];
}

const UNKNOWN_CALL = {
  type: 'call',
  input: undefined,
  state: 'asked',
  output: undefined,
  durationMs: undefined,
} as const;

function pushAnswer(rows: JournalRow[], { seq, at, data }: EventOf<'model_message'>): void {
  const of = (type: 'text' | 'reasoning'): string =>
    data.parts.map((part) => (part.type === type ? part.text : '')).join('');
  const [text, reasoning] = [of('text'), of('reasoning')];
  if (text === '' && reasoning === '') return;
  rows.push({
    type: 'answer',
    key: `seq ${seq}`,
    at,
    name: data.identity.displayName,
    text,
    reasoning,
  });
}

function rowOf(event: Stamped): JournalRow | undefined {
  const base = { key: `seq ${event.seq}`, at: event.at };
  const note = (text: string, tone: NoteRow['tone'] = 'plain'): NoteRow => ({
    ...base,
    type: 'note',
    text,
    tone,
  });
  switch (event.type) {
    case 'accepted':
      return askedRow(event, false);
    case 'approval_settled':
      return note(settledText(event));
    case 'resumed':
      return note(`resumed after an interruption (attempt ${event.data.attempt})`);
    case 'compacted':
      return note(`the context was full: ${event.data.tokensBefore} tokens were summarised`);
    case 'note':
      return note(event.data.text);
    case 'session_cleared':
      return note('cleared: the agent no longer sees what is above');
    case 'completed':
      return note('completed');
    case 'cancelled':
      return note(CANCELLED[event.data.reason]);
    case 'failed':
      return note(`failed: ${event.data.failure.message} (${event.data.failure.code})`, 'bad');
    case 'interrupted':
      return note(`interrupted: ${event.data.reason}`, 'bad');
    default:
      return undefined;
  }
}

function askedRow({ seq, at, data }: EventOf<'accepted'>, isWaiting: boolean): AskedRow {
  const { kind, appliedRule, inputItems } = data;
  const asked = { type: 'asked', from: senderWords(data), kind, rule: appliedRule } as const;
  return { key: `seq ${seq}`, at, ...asked, items: inputItems, isWaiting };
}

const CANCELLED: Readonly<Record<EventOf<'cancelled'>['data']['reason'], string>> = {
  cancel_command: 'cancelled',
  clear: 'cancelled: the session was cleared',
  steer: 'cancelled: replaced by another prompt',
  timeout: 'cancelled: it took too long',
  dropped: 'cancelled: its inbox item was dropped',
  superseded: 'cancelled: replaced by a later prompt',
};

function settledText({ data }: EventOf<'approval_settled'>): string {
  const { state, scope, answeredBy, updatedInput, answer } = data;
  return [
    answeredBy === undefined ? state : `${state} by ${answeredBy}`,
    ...(scope === undefined || scope === 'once' ? [] : [`always in this ${scope}`]),
    ...(updatedInput === undefined ? [] : ['with other arguments']),
    ...(answer === undefined ? [] : [`“${answer}”`]),
  ].join(', ');
}
