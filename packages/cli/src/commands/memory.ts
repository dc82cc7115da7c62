import type { Memory, MemoryNote } from '@stoa/protocol';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { printable, printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface ClearMemoryOptions extends GlobalFlags {
  readonly yes?: boolean;
}

const PAGE = 200;

export async function listMemories(context: Context): Promise<void> {
  const memories: Memory[] = [];
  let before: string | undefined;
  do {
    const page = await context.client.memories.list({ before, limit: PAGE });
    memories.push(...page.memories);
    before = page.nextBefore;
  } while (before !== undefined);
  if (context.flags.json) context.json({ memories });
  else if (memories.length === 0) context.say('nothing is remembered');
  else context.line(memoryTable(context, memories));
}

function memoryTable(context: Context, memories: readonly Memory[]): string {
  return context.table(
    [
      { title: 'NAMESPACE' },
      { title: 'NOTES', align: 'right' },
      { title: 'OF' },
      { title: 'CHANGED' },
      { title: 'MEMORY' },
    ],
    memories.map(({ memoryId, namespace, noteCount, ownerId, updatedAt }) => [
      printableLine(namespace),
      String(noteCount),
      ownerId,
      relativeTime(updatedAt, context.io.now()),
      memoryId,
    ]),
  );
}

/** Oldest first, as they were kept. */
export async function showMemory(context: Context, [which = '']: readonly string[]): Promise<void> {
  const memoryId = await memoryNamed(context, which);
  const notes: MemoryNote[] = [];
  let before: number | undefined;
  do {
    const page = await context.client.memories.notes(memoryId, { before, limit: PAGE });
    notes.push(...page.notes);
    before = page.nextBefore;
  } while (before !== undefined);
  notes.reverse();
  if (context.flags.json) context.json({ memoryId, notes });
  else if (notes.length === 0) context.say('nothing is remembered there');
  else for (const note of notes) context.line(noteText(context, note));
}

function noteText({ paint, io }: Context, { noteId, createdAt, text }: MemoryNote): string {
  const body = printable(text).replaceAll('\n', '\n  ');
  return `${paint.dim(`${noteId} ${relativeTime(createdAt, io.now())}`)}\n  ${body}`;
}

export async function forgetNote(
  context: Context,
  [which = '', noteId = '']: readonly string[],
): Promise<void> {
  await context.client.memories.deleteNote(await memoryNamed(context, which), noteId);
  context.answer({ deleted: noteId }, () => `${noteId} is deleted.`);
}

export async function clearMemory(
  context: Context,
  [which = '']: readonly string[],
  { yes }: ClearMemoryOptions,
): Promise<void> {
  if (!yes) {
    throw new UsageError(
      `this would erase all that is remembered as ${printableLine(which)}`,
      'if that is what you want, add --yes',
    );
  }
  const memoryId = await memoryNamed(context, which);
  await context.client.memories.clear(memoryId);
  context.answer({ cleared: memoryId }, () => `${printableLine(which)} is erased.`);
}

/** By its id, or by its namespace where that means one. */
async function memoryNamed({ client }: Context, which: string): Promise<string> {
  if (/^mem_[0-9a-f]{40}$/.test(which)) return which;
  const { memories } = await client.memories.list({ namespace: which, limit: 2 });
  const [only, another] = memories;
  if (only && !another) return only.memoryId;
  throw new UsageError(
    only
      ? `several people have a memory ${printableLine(which)}`
      : `nothing is remembered as ${printableLine(which)}`,
    'stoa memory list shows what there is; each can be named by its id',
  );
}
