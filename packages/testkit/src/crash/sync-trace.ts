/** What a trace of system calls shows about when messages were synced and when they were told. */
export interface SyncTrace {
  /** Messages that left on a socket. */
  readonly told: number;
  /** Those that left before a completed sync of the log covered them. */
  readonly toldBeforeSync: readonly string[];
}

const MESSAGE_ID = /msg_[0-9a-z]{26}/g;
const CALL =
  /^(\d+)\s+[\d.]+\s+(pwrite64|write|writev|sendto|sendmsg|fdatasync|fsync)\(\d+<([^>]*)>(.*)$/;

/**
 * Reads the output of `strace -f -ttt -y`. SQLite writes, syncs and the sockets are served by one
 * thread, whose calls stand in the order they were made: a message written to the WAL is safe once a
 * later sync of the WAL has returned.
 */
export function readSyncTrace(trace: string, thread: number): SyncTrace {
  const written = new Set<string>();
  const synced = new Set<string>();
  const told = new Set<string>();
  const toldBeforeSync: string[] = [];
  for (const line of trace.split('\n')) {
    const [, pid, name, file, rest] = CALL.exec(line) ?? [];
    if (file === undefined || rest === undefined || Number(pid) !== thread) continue;
    const ids = rest.match(MESSAGE_ID) ?? [];
    if (file.endsWith('stoa.db-wal')) {
      if (name === 'fdatasync' || name === 'fsync') {
        for (const id of written) synced.add(id);
        written.clear();
      } else for (const id of ids) if (!synced.has(id)) written.add(id);
    } else if (/^(?:socket|TCP)/.test(file)) {
      for (const id of ids) {
        if (!synced.has(id) && !told.has(id)) toldBeforeSync.push(id);
        told.add(id);
      }
    }
  }
  return { told: told.size, toldBeforeSync };
}
