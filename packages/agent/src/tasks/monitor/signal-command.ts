import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { MARK } from '../../tools/shell/mark.js';
import { findProcesses, signal } from '../../tools/shell/process-tree.js';
import type { MessageSignal } from './monitor-detail.js';

/**
 * Gives a signal to those processes of a command that listen for it; the others it would end. Whether
 * there were any.
 */
export async function signalCommand(nonce: string, name: MessageSignal): Promise<boolean> {
  const found = await findProcesses({ leader: undefined, marker: `${MARK}=${nonce}` });
  let isTaken = false;
  for (const { pid, isMarked } of found ?? []) {
    if (!isMarked || !(await listens(pid, name))) continue;
    signal(pid, name);
    isTaken = true;
  }
  return isTaken;
}

/** Without a handler of its own a process ends by it, or does not hear it. */
async function listens(pid: number, name: MessageSignal): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1];
    if (caught === undefined) return false;
    return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[name] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}
