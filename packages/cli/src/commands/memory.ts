import { StoaProblem } from '@stoa/client';
import type { DreamStatus, Memory, MemoryFile, MemoryNote } from '@stoa/protocol';
import { LIMITS } from '@stoa/protocol/constants';
import type { Context, GlobalFlags } from '../context.js';
import { UsageError } from '../failure.js';
import { printable, printableLine } from '../terminal/printable.js';
import { relativeTime } from '../terminal/times.js';

export interface ClearMemoryOptions extends GlobalFlags {
  readonly yes?: boolean;
}

export interface ForgetOptions extends GlobalFlags {
  readonly isolated?: boolean;
}

const LARGEST = { limit: LIMITS.pageSize };

export async function listMemories(context: Context): Promise<void> {
  const memories: Memory[] = [];
  for await (const page of context.client.memories.list.pages(LARGEST)) {
    memories.push(...page.memories);
  }
  if (context.flags.json) context.json({ memories });
  else if (memories.length === 0) context.say('no memories');
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

/** The files, and then the notes, oldest first, as they were kept. */
export async function showMemory(context: Context, [which = '']: readonly string[]): Promise<void> {
  const memoryId = await memoryNamed(context, which);
  const found = await context.client.memories.files(memoryId);
  const notes: MemoryNote[] = [];
  for await (const page of context.client.memories.notes.pages(memoryId, LARGEST)) {
    notes.push(...page.notes);
  }
  notes.reverse();
  if (context.flags.json) {
    context.json({ memoryId, ...found, notes });
    return;
  }
  for (const file of found.files) context.line(fileText(context, file));
  for (const { name, problem } of found.problems)
    context.say(`${printableLine(name)} is ignored: ${printableLine(problem)}`);
  for (const note of notes) context.line(noteText(context, note));
  if (notes.length + found.files.length === 0) context.say('this memory is empty');
}

function fileText({ paint, io }: Context, { name, part, text, updatedAt }: MemoryFile): string {
  const file = part === 'isolated' ? `isolated/${name}` : name;
  const body = printable(text).trimEnd().replaceAll('\n', '\n  ');
  return `${paint.dim(`${printableLine(file)} ${relativeTime(updatedAt, io.now())}`)}\n  ${body}`;
}

export async function memoryPath(
  context: Context,
  [which = '']: readonly string[],
  { isolated }: ForgetOptions,
): Promise<void> {
  const memoryId = await memoryNamed(context, which);
  const { directories } = await context.client.memories.files(memoryId);
  if (!directories) throw new StoaProblem('forbidden', 403, 'Only the owner can see the directory');
  const path = isolated ? directories.isolated : directories.shared;
  context.answer({ path }, () => path);
}

function noteText({ paint, io }: Context, { noteId, createdAt, text }: MemoryNote): string {
  const body = printable(text).replaceAll('\n', '\n  ');
  return `${paint.dim(`${noteId} ${relativeTime(createdAt, io.now())}`)}\n  ${body}`;
}

export async function forget(
  context: Context,
  [which = '', what = '']: readonly string[],
  { isolated }: ForgetOptions,
): Promise<void> {
  const { memories } = context.client;
  const memoryId = await memoryNamed(context, which);
  const part = isolated ? 'isolated' : 'shared';
  if (what.endsWith('.md')) await memories.deleteFile(memoryId, what, { part });
  else await memories.deleteNote(memoryId, what);
  context.answer({ deleted: what }, () => `${printableLine(what)} is deleted.`);
}

export async function dreamStatus(
  context: Context,
  [which = '']: readonly string[],
): Promise<void> {
  const { dreams } = await context.client.memories.dreamStatus(await memoryNamed(context, which));
  if (context.flags.json) context.json({ dreams });
  else for (const dream of dreams) context.line(dreamText(context, dream));
}

function dreamText({ io }: Context, status: DreamStatus): string {
  const { part, refusal, lastDreamAt, sessionsSince, lastCheck, taskId } = status;
  const ago = (at: number): string => relativeTime(at, io.now());
  const checked = lastCheck?.refusal
    ? `${ago(lastCheck.at)}: ${printableLine(lastCheck.refusal.reason)} (${lastCheck.refusal.gate})`
    : lastCheck && `${ago(lastCheck.at)}: started`;
  return [
    part === 'isolated' ? 'isolated' : 'shared',
    `  now         ${refusal ? `no: ${printableLine(refusal.reason)} (${refusal.gate})` : 'yes, after the next run'}`,
    `  last        ${lastDreamAt === undefined ? 'never' : ago(lastDreamAt)}`,
    `  sessions    ${String(sessionsSince)} since the last dream`,
    ...(checked === undefined ? [] : [`  last check  ${checked}`]),
    ...(taskId === undefined ? [] : [`  task        ${taskId}`]),
  ].join('\n');
}

export async function dream(
  context: Context,
  [which = '']: readonly string[],
  { isolated }: ForgetOptions,
): Promise<void> {
  const memoryId = await memoryNamed(context, which);
  const task = await context.client.memories.dream(memoryId, {
    part: isolated ? 'isolated' : 'shared',
  });
  context.answer(task, () => `${task.taskId} tidies ${printableLine(which)}.`);
}

export async function clearMemory(
  context: Context,
  [which = '']: readonly string[],
  { yes }: ClearMemoryOptions,
): Promise<void> {
  if (!yes) {
    throw new UsageError(
      `this would permanently delete all notes and files of ${printableLine(which)}`,
      'to confirm, add --yes',
    );
  }
  const memoryId = await memoryNamed(context, which);
  await context.client.memories.clear(memoryId);
  context.answer({ cleared: memoryId }, () => `${printableLine(which)} is cleared.`);
}

/** By its id, or by its namespace where that means one. */
async function memoryNamed({ client }: Context, which: string): Promise<string> {
  if (/^mem_[0-9a-f]{40}$/.test(which)) return which;
  const { memories } = await client.memories.list({ namespace: which, limit: 2 });
  const [only, another] = memories;
  if (only && !another) return only.memoryId;
  if (!only) {
    throw new StoaProblem('memory_not_found', 404, `There is no memory ${which}`);
  }
  throw new UsageError(
    `several people have a memory ${printableLine(which)}`,
    'see the memories and their ids: stoa memory list',
  );
}
