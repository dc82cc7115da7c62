/** What a trace of system calls shows about when messages were synced and when they were sent. */
export interface SyncTrace {
  /** Messages that left on a socket. */
  readonly sent: number;
  /** Those that left before a completed sync of the log covered them. */
  readonly sentBeforeSync: readonly string[];
  /** Completed syncs of the log. */
  readonly syncs: number;
}

/** A call from its first line to the one that says how it ended, which may be the same. */
interface Call {
  readonly name: string;
  readonly file: string;
  readonly ids: readonly string[];
  /** What a sync that begins now covers. */
  readonly covers: readonly string[];
}

const MESSAGE_ID = /msg_[0-9a-z]{26}/g;
const BEGUN = /^(\d+)\s+[\d.]+\s+(\w+)\(\d+<((?:[^<>]|<->|->)*)>(.*)$/;
const RESUMED = /^(\d+)\s+[\d.]+\s+<\.\.\. \w+ resumed>(.*)$/;
const UNFINISHED = /<unfinished \.\.\.>$/;
const SUCCEEDED = /= \d+(?: <[\d.]+>)?$/;
const WAL = /stoa\.db-wal$/;
const SOCKET = /^(?:socket|TCP)/;

/**
 * Reads the output of `strace -f -ttt -y`, whose lines stand in the order things happened. A message
 * in the WAL is safe once a sync of the WAL that began after it was written has ended well; it must
 * not begin to leave on any socket before that.
 */
export function readSyncTrace(trace: string): SyncTrace {
  const reading = new Reading();
  const pending = new Map<string, Call>();
  for (const line of trace.split('\n')) {
    const [, thread = '', name, file, rest = ''] = BEGUN.exec(line) ?? [];
    if (name !== undefined && file !== undefined) {
      const call = reading.begin(name, file, rest.match(MESSAGE_ID) ?? []);
      if (UNFINISHED.test(rest)) pending.set(thread, call);
      else if (SUCCEEDED.test(rest)) reading.end(call);
      continue;
    }
    const [, resuming = '', outcome = ''] = RESUMED.exec(line) ?? [];
    const call = pending.get(resuming);
    if (!call) continue;
    pending.delete(resuming);
    if (SUCCEEDED.test(outcome)) reading.end(call);
  }
  return reading.result();
}

class Reading {
  readonly #written = new Set<string>();
  readonly #synced = new Set<string>();
  readonly #sent = new Set<string>();
  readonly #sentBeforeSync: string[] = [];
  #syncs = 0;

  begin(name: string, file: string, ids: readonly string[]): Call {
    if (SOCKET.test(file)) for (const id of ids) this.#tell(id);
    const covers = isSync(name) && WAL.test(file) ? [...this.#written] : [];
    return { name, file, ids, covers };
  }

  end({ name, file, ids, covers }: Call): void {
    if (!WAL.test(file)) return;
    if (!isSync(name)) {
      for (const id of ids) if (!this.#synced.has(id)) this.#written.add(id);
      return;
    }
    this.#syncs += 1;
    for (const id of covers) {
      this.#synced.add(id);
      this.#written.delete(id);
    }
  }

  result(): SyncTrace {
    return { sent: this.#sent.size, sentBeforeSync: this.#sentBeforeSync, syncs: this.#syncs };
  }

  #tell(id: string): void {
    if (!this.#sent.has(id) && !this.#synced.has(id)) this.#sentBeforeSync.push(id);
    this.#sent.add(id);
  }
}

const isSync = (name: string): boolean => name === 'fdatasync' || name === 'fsync';
