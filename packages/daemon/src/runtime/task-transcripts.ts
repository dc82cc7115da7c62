import { constants, promises as fs } from 'node:fs';
import { dirname } from 'node:path';
import type { Core, LogEntry } from '@stoa/core';
import { JOURNAL_EVENTS, SYSTEM, type Task, type TaskEntry, TaskStatus } from '@stoa/protocol';
import { FULL, lastSeq, TRANSCRIPT_FULL, transcriptIn } from './transcript-file.js';

const PAGE = 500;
/** The maximum size of one transcript; the journal has the rest. */
const FILE_BYTES = 32 * 1024 * 1024;
const LISTED = 500;
/** The kind of tasks that have their own sessions. */
const KIND = 'agent';

/** A task with this end does not continue. */
const OVER: ReadonlySet<TaskStatus> = new Set(['failed', 'cancelled', 'lost']);

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
const JOURNALED: ReadonlySet<string> = new Set(JOURNAL_EVENTS);

/** A transcript that is being written. */
interface Transcript {
  readonly path: string;
  readonly worksIn: string;
  /** The last event of its session in the file; undefined until the file was read. */
  seq: number | undefined;
  /** Lines to write besides the journal. */
  readonly lines: string[];
  writing: Promise<void> | undefined;
  again: boolean;
}

export interface TaskTranscriptsOptions {
  readonly tasksDirectory: string;
  /** The location whose tasks have their files here. */
  readonly location: string;
  readonly core: Pick<Core, 'tasks' | 'runs'>;
  /** How long a transcript is kept after the end of its session. */
  readonly keptMs: number;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly fileBytes?: number;
}

/**
 * Writes transcripts of tasks that have their own sessions: every line of the journal of that session, and the
 * outcome of the task. The journal is the source of truth; the sequences of the lines show how much a file contains.
 * So after a crash no line is missing for long, and none is written twice.
 */
export class TaskTranscripts {
  readonly #bySession = new Map<string, Transcript>();
  readonly #byTask = new Map<string, Transcript>();
  #catchingUp: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(private readonly options: TaskTranscriptsOptions) {}

  /** Events of one commit. Must not throw. */
  committed(entries: readonly LogEntry[]): void {
    for (const { topic, type, body, at } of entries) {
      if (!topic.startsWith('session:')) continue;
      if (type.startsWith('background_task_')) {
        const data = JSON.parse(body) as { task?: TaskEntry; taskId?: string };
        if (data.task) this.#follow(data.task);
        const taskId = data.task?.taskId ?? data.taskId ?? '';
        if (type === 'background_task_evicted') this.#remove(taskId);
        else this.#note(taskId, JSON.stringify({ at, type, data }));
      } else if (JOURNALED.has(type)) {
        const transcript = this.#bySession.get(topic.slice('session:'.length));
        if (transcript) this.#write(transcript);
      }
    }
  }

  /** After a start: continues the transcripts of tasks that may continue, and registers the others for removal. */
  async recover(): Promise<void> {
    const goOn: Transcript[] = [];
    for (const status of TaskStatus.options) {
      for (let before: string | undefined, isMore = true; isMore; ) {
        const query = { kind: KIND, status, limit: LISTED, before };
        const page = await this.options.core.tasks.list(SYSTEM, query);
        const endedBefore = Date.now() - this.options.keptMs;
        const ids = page.tasks.map(({ taskId }) => taskId);
        const fates = await this.options.core.tasks.fileFates(ids, endedBefore);
        for (const task of page.tasks) {
          // Removed files, and those that will be removed, are not written again.
          if (fates.get(task.taskId) === 'past') continue;
          const transcript = this.#follow(task);
          if (transcript && !OVER.has(status)) goOn.push(transcript);
        }
        before = page.nextBefore;
        isMore = before !== undefined;
      }
    }
    this.#catchingUp = this.#catchUp(goOn);
  }

  /** One after another: there may be more of them than allowed open files. */
  async #catchUp(transcripts: readonly Transcript[]): Promise<void> {
    for (const transcript of transcripts) {
      if (this.#isClosed) return;
      this.#write(transcript);
      await transcript.writing;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#catchingUp;
    for (const { writing } of this.#byTask.values()) await writing;
  }

  #follow(task: Task | TaskEntry): Transcript | undefined {
    const { taskId, transcriptPath, location } = task;
    const { sessionId: worksIn } = task.detail;
    // The owner of the files writes and removes them.
    if (location !== this.options.location) return undefined;
    if (transcriptPath === undefined || typeof worksIn !== 'string') return undefined;
    const path = transcriptIn(this.options.tasksDirectory, transcriptPath);
    const known = this.#byTask.get(taskId);
    if (known) return known;
    const transcript: Transcript = {
      path,
      worksIn,
      seq: undefined,
      lines: [],
      writing: undefined,
      again: false,
    };
    this.#byTask.set(taskId, transcript);
    this.#bySession.set(worksIn, transcript);
    return transcript;
  }

  #note(taskId: string, line: string): void {
    const transcript = this.#byTask.get(taskId);
    if (!transcript) return;
    transcript.lines.push(line);
    this.#write(transcript);
  }

  #remove(taskId: string): void {
    const transcript = this.#byTask.get(taskId);
    if (!transcript) return;
    this.#byTask.delete(taskId);
    this.#bySession.delete(transcript.worksIn);
    const gone = (transcript.writing ?? Promise.resolve()).then(() => fs.rm(transcript.path));
    gone.catch(() => undefined);
  }

  #write(transcript: Transcript): void {
    if (transcript.seq === FULL) return;
    transcript.again = true;
    transcript.writing ??= this.#untilQuiet(transcript)
      .catch((error: unknown) => {
        const { path } = transcript;
        this.options.diagnose('a transcript could not be written', { path, error });
      })
      .finally(() => {
        transcript.writing = undefined;
      });
  }

  async #untilQuiet(transcript: Transcript): Promise<void> {
    const { path, worksIn } = transcript;
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await fs.open(path, FLAGS, 0o600);
    try {
      transcript.seq ??= await lastSeq(file);
      while (transcript.again && transcript.seq !== FULL) {
        transcript.again = false;
        const lines = transcript.lines.splice(0);
        for (let isMore = true; isMore; ) {
          const after = transcript.seq;
          const page = { after, limit: PAGE };
          const journal = await this.options.core.runs.journal(SYSTEM, worksIn, page);
          lines.push(...journal.entries.map((entry) => JSON.stringify(entry)));
          if (!(await this.#append(file, lines.splice(0)))) {
            transcript.seq = FULL;
            return;
          }
          const last: number | undefined = journal.nextAfter ?? journal.entries.at(-1)?.seq;
          transcript.seq = Math.max(after, last ?? 0);
          isMore = journal.nextAfter !== undefined;
        }
      }
    } finally {
      await file.close();
    }
  }

  /** Returns whether there is space for more lines. */
  async #append(file: fs.FileHandle, lines: readonly string[]): Promise<boolean> {
    const { fileBytes = FILE_BYTES } = this.options;
    let room = fileBytes - (await file.stat()).size;
    const fitting = lines.filter((line) => {
      room -= Buffer.byteLength(line) + 1;
      return room >= 0;
    });
    const isFull = fitting.length < lines.length;
    if (isFull) fitting.push(JSON.stringify({ type: TRANSCRIPT_FULL, bytes: fileBytes }));
    if (fitting.length > 0) await file.write(fitting.map((line) => `${line}\n`).join(''));
    return !isFull;
  }
}
