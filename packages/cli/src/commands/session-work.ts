import { inOrderOfRuns } from '@stoa/client';
import type { InboxItem, InboxItemState, Run, WorkKind } from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol/constants';
import type { Context, GlobalFlags } from '../context.js';
import { journalText } from '../terminal/journal-text.js';
import { bodyOf } from '../terminal/message-text.js';
import { printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';
import { countText } from '../terminal/usage-text.js';
import { shorten } from '../terminal/width.js';

export interface InboxOptions extends GlobalFlags {
  readonly state?: InboxItemState;
  readonly kind?: WorkKind;
  readonly before?: number;
  readonly limit: number;
}

export interface JournalOptions extends GlobalFlags {
  readonly after?: number;
  readonly limit: number;
  readonly full?: boolean;
}

export interface RunsOptions extends GlobalFlags {
  readonly before?: string;
  readonly limit: number;
}

/** What a table shows of a text. */
const EXCERPT = 80;

export async function showInbox(
  context: Context,
  [sessionId = '']: readonly string[],
  { state, kind, before, limit }: InboxOptions,
): Promise<void> {
  const page = await context.client.sessions.inbox(sessionId, { state, kind, before, limit });
  if (context.flags.json) context.json(page);
  else if (page.items.length === 0) context.say('no items');
  else context.line(inboxTable(context, page.items));
  context.more(page.nextBefore);
}

function inboxTable(context: Context, items: readonly InboxItem[]): string {
  return context.table(
    [
      { title: 'ITEM' },
      { title: 'FROM' },
      { title: 'KIND' },
      { title: 'RULE' },
      { title: 'STATE' },
      { title: 'CAME' },
      { title: 'TEXT' },
    ],
    items.map((item) => [
      item.itemId,
      printableLine(item.fromName),
      item.kind,
      item.rule === item.appliedRule ? item.rule : `${item.rule} → ${item.appliedRule}`,
      item.reason === undefined ? item.state : `${item.state}: ${printableLine(item.reason)}`,
      relativeTime(item.createdAt, context.io.now()),
      shorten(printableLine(item.subject ?? bodyOf(item.inputItems)), EXCERPT),
    ]),
  );
}

export async function replayItem(
  context: Context,
  [itemId = '']: readonly string[],
): Promise<void> {
  const item = await context.client.items.replay(itemId);
  context.answer(item, () => `${itemId} is queued again for ${item.runId}.`);
}

export async function showRuns(
  context: Context,
  [sessionId = '']: readonly string[],
  { before, limit }: RunsOptions,
): Promise<void> {
  const page = await context.client.sessions.runs(sessionId, { before, limit });
  if (context.flags.json) context.json(page);
  else if (page.runs.length === 0) context.say('no runs yet');
  else context.line(runTable(context, page.runs));
  context.more(page.nextBefore);
}

function runTable(context: Context, runs: readonly Run[]): string {
  return context.table(
    [
      { title: 'RUN' },
      { title: 'KIND' },
      { title: 'STATUS' },
      { title: 'STARTED' },
      { title: 'IN', align: 'right' },
      { title: 'OUT', align: 'right' },
      { title: 'RESULT' },
    ],
    runs.map((run) => [
      run.runId,
      run.kind,
      run.cancelReason === undefined ? run.status : `${run.status} (${run.cancelReason})`,
      run.startedAt === undefined ? '' : relativeTime(run.startedAt, context.io.now()),
      countText(run.usage.inputTokens),
      countText(run.usage.outputTokens),
      shorten(printableLine(run.failure?.message ?? bodyOf(run.output ?? [])), EXCERPT),
    ]),
  );
}

/** The entries of a journal lie between events that are none: pages are read until enough are there. */
export async function showJournal(
  context: Context,
  [sessionId = '']: readonly string[],
  { after = 0, limit, full }: JournalOptions,
): Promise<void> {
  const style = { paint: context.paint, now: context.io.now(), full: full ?? false };
  const entries = [];
  let nextAfter: number | undefined;
  const query = { after, limit: Math.min(LIMITS.pageSize, limit) };
  for await (const page of context.client.sessions.journal.pages(sessionId, query)) {
    entries.push(...page.entries);
    nextAfter = page.nextAfter;
    if (entries.length >= limit) break;
  }
  const shown = entries.slice(0, limit);
  const next = entries.length > limit ? shown.at(-1)?.seq : nextAfter;
  if (context.flags.json) {
    context.json({ entries: shown, ...(next === undefined ? {} : { nextAfter: next }) });
    return;
  }
  const print = (entry: (typeof shown)[number]): void => {
    const text = journalText(entry, style);
    if (text !== undefined) context.line(text);
  };
  const { events, waiting } = inOrderOfRuns(shown);
  events.forEach(print);
  // Where there is more to read, its run may begin there.
  if (waiting.length > 0 && next === undefined) {
    context.line(context.paint.dim('waits until the run ends:'));
  }
  waiting.forEach(print);
  if (next !== undefined && context.io.errIsTerminal) context.say(`more entries: --after ${next}`);
}
