import {
  actorIdOf,
  LIMITS,
  type Memory,
  type MemoryEvent,
  type MemoryFile,
  type MemoryFileList,
  type MemoryNote,
  type MemoryPart,
  memoryTopic,
  type Principal,
  StoaError,
} from '@stoa/protocol';
import {
  type CountedMemoryRow,
  findNote,
  listMemories,
  listNotes,
  openTopicEnd,
  type Store,
  type Tx,
} from '@stoa/store';
import { callerClass } from '../access/rules.js';
import { defineHook, type Hooks } from '../kernel/hooks.js';
import type { Decision, Log } from '../kernel/log.js';
import { readPage } from '../kernel/paging.js';
import { type MemoryFiles, memoryDirectory } from './memory-files.js';
import { memoryOf } from './memory-gate.js';
import { memoryRecord, noteRecord } from './records.js';

/** A memory is about to be cleared. A handler that rejects prevents it. */
export const MEMORY_CLEARING = defineHook<[memoryId: string], Promise<void> | undefined>(
  'memory clearing',
);

const PARTS: readonly MemoryPart[] = ['shared', 'isolated'];

interface MemoryQuery {
  readonly namespace?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

interface NoteQuery {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What people can do with the memories of their sessions: read, edit and delete them. */
export class Memories {
  constructor(
    private readonly store: Store,
    private readonly log: Log,
    private readonly memoryFiles: MemoryFiles,
    private readonly hooks: Hooks,
  ) {}

  /** Newest first. */
  list(
    by: Principal,
    { namespace, before, limit }: MemoryQuery,
  ): Promise<{ memories: Memory[]; nextBefore?: string }> {
    return this.store.read(function* () {
      const last = before === undefined ? undefined : yield* memoryOf(by, before);
      const filter = {
        ownerId: callerClass(by) === 'admin' ? null : actorIdOf(by),
        namespace: namespace ?? null,
        before: last?.topicId ?? Number.MAX_SAFE_INTEGER,
      };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listMemories.all({ ...filter, limit: count }),
      );
      return {
        memories: rows.map(memoryRecord),
        ...(resumeAfter && { nextBefore: resumeAfter.memoryId }),
      };
    });
  }

  /** Newest first. */
  notes(
    by: Principal,
    memoryId: string,
    { before, limit }: NoteQuery,
  ): Promise<{ notes: MemoryNote[]; nextBefore?: number }> {
    return this.store.read(function* () {
      const { topicId } = yield* memoryOf(by, memoryId);
      const filter = { topicId, isolated: 1, before: before ?? Number.MAX_SAFE_INTEGER };
      const { rows, resumeAfter } = yield* readPage(limit, (count) =>
        listNotes.all({ ...filter, limit: count }),
      );
      return {
        notes: rows.map(noteRecord),
        ...(resumeAfter && { nextBefore: resumeAfter.seq }),
      };
    });
  }

  deleteNote(by: Principal, memoryId: string, noteId: string): Promise<void> {
    return this.#change(by, memoryId, function* ({ topicId }) {
      if (yield* findNote.first({ topicId, noteId }))
        return { type: 'note_deleted', data: { noteId } };
      throw new StoaError('note_not_found', `There is no note ${noteId} in ${memoryId}`);
    });
  }

  /** Read from the disk, since people may edit them at any time. */
  async files(by: Principal, memoryId: string): Promise<MemoryFileList> {
    const memory = await this.#memory(by, memoryId);
    const list: MemoryFileList = { files: [], problems: [] };
    for (const part of PARTS) {
      const { files, problems } = await this.memoryFiles.read(memoryDirectory(memory, part));
      list.files.push(...files.map((file) => ({ ...file, part })));
      list.problems.push(...problems.map((problem) => ({ ...problem, part })));
    }
    if (callerClass(by) !== 'admin') return list;
    const pathOf = (part: MemoryPart) => this.memoryFiles.pathOf(memoryDirectory(memory, part));
    return { ...list, directories: { shared: pathOf('shared'), isolated: pathOf('isolated') } };
  }

  async putFile(
    by: Principal,
    memoryId: string,
    { name, part, text }: { name: string; part: MemoryPart; text: string },
  ): Promise<MemoryFile> {
    const directory = memoryDirectory(await this.#memory(by, memoryId), part);
    const { files } = await this.memoryFiles.read(directory);
    const isNew = !files.some((file) => file.name === name);
    if (isNew && files.length >= LIMITS.memoryFiles) {
      throw new StoaError('limit_reached', `It holds ${String(files.length)} files already`);
    }
    await this.memoryFiles.write(directory, name, text);
    const written = (await this.memoryFiles.read(directory)).files.find(
      (file) => file.name === name,
    );
    return { name, part, text, updatedAt: written?.updatedAt ?? 0 };
  }

  async deleteFile(
    by: Principal,
    memoryId: string,
    { name, part }: { name: string; part: MemoryPart },
  ): Promise<void> {
    const memory = await this.#memory(by, memoryId);
    if (await this.memoryFiles.remove(memoryDirectory(memory, part), name)) return;
    throw new StoaError('memory_file_not_found', `There is no file ${name} in ${memoryId}`);
  }

  /** Deletes all notes, also from the log, and all files. */
  async clear(by: Principal, memoryId: string): Promise<void> {
    const memory = await this.#memory(by, memoryId);
    await this.hooks.notify(MEMORY_CLEARING, memoryId);
    await this.#change(by, memoryId, ({ ownerId, namespace }) => ({
      type: 'memory_cleared',
      data: { memoryId, ownerId, namespace },
    }));
    for (const part of PARTS) await this.memoryFiles.clear(memoryDirectory(memory, part));
  }

  #memory(by: Principal, memoryId: string): Promise<CountedMemoryRow> {
    return this.store.read(() => memoryOf(by, memoryId));
  }

  #change(
    by: Principal,
    memoryId: string,
    decide: (memory: CountedMemoryRow) => Tx<MemoryEvent> | MemoryEvent,
  ): Promise<void> {
    const topic = memoryTopic(memoryId);
    return this.log.write({
      actor: actorIdOf(by),
      lane: topic,
      *open() {
        yield* openTopicEnd.first({ name: topic });
        return yield* memoryOf(by, memoryId);
      },
      *decide(memory): Tx<Decision<void>> {
        const decided = decide(memory);
        const event = 'next' in decided ? yield* decided : decided;
        return { events: [{ topic, event }], answer: () => undefined };
      },
    });
  }
}
