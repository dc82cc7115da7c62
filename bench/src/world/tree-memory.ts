import { readdirSync, readFileSync } from 'node:fs';

/**
 * Megabytes that a process and all that descend from it hold in memory. A page that several processes
 * share counts in parts (`Pss`): a tree of processes of one program does not count that program twice.
 */
export function treeMegabytes(root: number): number {
  const children = childrenOf();
  const tree = [root];
  // The list grows while it is walked.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree.reduce((sum, pid) => sum + megabytes(pid), 0);
}

function childrenOf(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readIfThere(`/proc/${name}/stat`) : '';
    // Its name, which comes first, may hold spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

function megabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** A process may end while it is read. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
